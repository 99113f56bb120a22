// What a caller may want of any answer beside its words.

import { HearthError } from '../../../base/errors.ts';
import type { GenerateRequest } from '../../../inference/engine/ports.ts';
import type { ThinkOption } from '../../../models/think.ts';

export interface GenerationOptions {
  /** How many of the likeliest tokens are named beside each chosen one; absent: no probabilities. */
  readonly topLogprobs?: number;
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
  /** False: the answer ends when the context is full. */
  readonly shift?: boolean;
  /** False: a prompt that is longer than the context is an error. */
  readonly truncate?: boolean;
  /** Absent: models that can think do. */
  readonly think?: ThinkOption;
  /** Options that count where neither the request nor the model has its own. */
  readonly optionDefaults?: Readonly<Record<string, unknown>>;
}

const maxTopLogprobs = 20;
// As many as clients of the API know; each is a step of work for every token.
const maxBiases = 1024;

export type EngineGenerationOptions = Pick<GenerateRequest, 'topLogprobs' | 'logitBias' | 'shift' | 'truncate'>;

/** The part of the wishes that the engine fulfils. */
export function toEngineGenerationOptions({
  topLogprobs,
  logitBias,
  shift,
  truncate,
}: GenerationOptions): EngineGenerationOptions {
  if (topLogprobs !== undefined && (topLogprobs < 0 || topLogprobs > maxTopLogprobs))
    throw new HearthError('bad_request', `top_logprobs must be between 0 and ${maxTopLogprobs}`);
  if ((logitBias?.length ?? 0) > maxBiases)
    throw new HearthError('bad_request', `logit_bias has more than ${maxBiases} entries`);
  return {
    ...(topLogprobs === undefined ? {} : { topLogprobs }),
    ...(logitBias === undefined || logitBias.length === 0 ? {} : { logitBias }),
    ...(shift === undefined ? {} : { shift }),
    ...(truncate === undefined ? {} : { truncate }),
  };
}
