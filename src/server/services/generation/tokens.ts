// Texts as the tokens of a model, and back.

import { HearthError } from '../../../base/errors.ts';
import { acquireModel, type GenerationServices, prepareModel } from '../models/prepare-model.ts';

interface TokenInput {
  readonly model: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly keepAlive?: number;
}

export interface TokenizeInput extends TokenInput {
  readonly text: string;
  /** Whether the tokens that the model wants around a text are among them. */
  readonly addSpecial: boolean;
}

export interface DetokenizeInput extends TokenInput {
  readonly tokens: readonly number[];
}

export type Tokenize = (input: TokenizeInput, signal: AbortSignal) => Promise<readonly number[]>;
export type Detokenize = (input: DetokenizeInput, signal: AbortSignal) => Promise<string>;

// A runner turns a text into tokens in one go, and whoever else it serves waits for that: this much takes a fraction of
// a second.
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
    if (input.tokens.length > maxTokens)
      throw new HearthError('bad_request', `there are more than ${maxTokens} tokens`);
    const prepared = await prepareModel(services, { ...input, template: '', task: 'embed' });
    const { lease, release } = await acquireModel(services, prepared, input.keepAlive, signal);
    try {
      return await lease.detokenize(input.tokens);
    } finally {
      release();
    }
  };
}
