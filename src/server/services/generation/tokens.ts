// Tokenizes and detokenizes texts.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { ParsedOptions } from '../../../models/options.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import { acquireModel, type GenerationServices, prepareModel } from '../models/prepare-model.ts';

interface TokenInput {
  readonly model: RequestedModel;
  readonly options: ParsedOptions;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export interface TokenizeInput extends TokenInput {
  readonly text: string;
  /** Whether to add the model's special tokens around the text. */
  readonly addSpecial: boolean;
}

export interface DetokenizeInput extends TokenInput {
  readonly tokens: readonly number[];
}

export type Tokenize = (input: Reported<TokenizeInput>, signal: AbortSignal) => Promise<readonly number[]>;
export type Detokenize = (input: Reported<DetokenizeInput>, signal: AbortSignal) => Promise<string>;

// A runner tokenizes a text without interruption, and its other requests wait. This limit takes a fraction of a second.
const maxText = 2 ** 18;
const maxTokens = 2 ** 17;

export function createTokenize(services: GenerationServices): Tokenize {
  return async (input, signal) => {
    if (input.text.length > maxText)
      throw new HearthError('bad_request', `the text is longer than ${maxText} characters`);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'embed' });
    const { lease, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      return await lease.tokenize(input.text, { addSpecial: input.addSpecial });
    } finally {
      release();
    }
  };
}

export function createDetokenize(services: GenerationServices): Detokenize {
  return async (input, signal) => {
    if (input.tokens.length > maxTokens) throw new HearthError('bad_request', `more than ${maxTokens} tokens`);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'embed' });
    const { lease, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      return await lease.detokenize(input.tokens);
    } finally {
      release();
    }
  };
}
