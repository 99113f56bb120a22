// What a caller may want of any answer beside its words.

import type { GenerateRequest } from '../../../inference/engine/ports.ts';
import { HearthError } from '../../../base/errors.ts';
import type { ThinkWish } from '../../../models/think.ts';

export interface AnswerWishes {
  /** How many of the likeliest tokens are named beside each chosen one; absent: no probabilities. */
  readonly topLogprobs?: number;
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
  /** False: the answer ends when the context is full. */
  readonly shift?: boolean;
  /** False: a prompt that is longer than the context is an error. */
  readonly truncate?: boolean;
  /** Absent: models that can think do. */
  readonly think?: ThinkWish;
  /** Options that count where neither the request nor the model has its own. */
  readonly optionDefaults?: Readonly<Record<string, unknown>>;
}

const mostTopLogprobs = 20;
// As many as clients of the API know; each is a step of work for every token.
const mostBiases = 1024;

export type EngineWishes = Pick<GenerateRequest, 'topLogprobs' | 'logitBias' | 'shift' | 'truncate'>;

/** The part of the wishes that the engine fulfils. */
export function toEngineWishes({ topLogprobs, logitBias, shift, truncate }: AnswerWishes): EngineWishes {
  if (topLogprobs !== undefined && (topLogprobs < 0 || topLogprobs > mostTopLogprobs))
    throw new HearthError('bad_request', `top_logprobs must be between 0 and ${mostTopLogprobs}`);
  if ((logitBias?.length ?? 0) > mostBiases)
    throw new HearthError('bad_request', `logit_bias has more than ${mostBiases} entries`);
  return {
    ...(topLogprobs === undefined ? {} : { topLogprobs }),
    ...(logitBias === undefined || logitBias.length === 0 ? {} : { logitBias }),
    ...(shift === undefined ? {} : { shift }),
    ...(truncate === undefined ? {} : { truncate }),
  };
}
