// Generation options that are not in the options table.

import { HearthError } from '../../../base/errors.ts';
import type { GenerateRequest } from '../../../inference/engine/ports.ts';
import type { OptionValues } from '../../../models/options.ts';
import type { ThinkOption } from '../../../models/think.ts';

export interface GenerationOptions {
  /** The number of most likely tokens to report for each token; absent: no log probabilities. */
  readonly topLogprobs?: number;
  readonly logitBias?: readonly (readonly [token: number, bias: number])[];
  /** False: generation ends when the context is full. */
  readonly shift?: boolean;
  /** False: a prompt that is longer than the context is an error. */
  readonly truncate?: boolean;
  /** Absent: models that can think do so. */
  readonly think?: ThinkOption;
  /** A model that cannot think ignores `think`. Otherwise that is an error. */
  readonly thinkIfAble?: boolean;
  /** Maximum number of tokens to think; absent: no limit besides `numPredict`. */
  readonly thinkingBudget?: number;
  /** Another answer of the same request has the same prompt, whose tokens count once. */
  readonly sharesPrompt?: boolean;
  /** Used for options that neither the request nor the model sets. */
  readonly optionDefaults?: OptionValues;
}

const maxTopLogprobs = 20;
// Every bias costs time for every token.
const maxBiases = 1024;

export type EngineGenerationOptions = Pick<GenerateRequest, 'topLogprobs' | 'logitBias' | 'shift' | 'truncate'>;

/** The options that the engine applies. */
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
