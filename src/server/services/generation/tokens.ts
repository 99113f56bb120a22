// Tokenizes and detokenizes texts.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import { type GenerationServices, type ModelInput, notFoundInEmbed, prepareModel } from './prepare-model.ts';

interface TokenizeInput extends ModelInput {
  readonly text: string;
  /** Whether to add the model's special tokens around the text. */
  readonly addSpecial: boolean;
}

interface DetokenizeInput extends ModelInput {
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
    const model = await openForTokens(services, input);
    try {
      return await model.tokenize(input.text, { addSpecial: input.addSpecial }, signal);
    } finally {
      model.release();
    }
  };
}

export function createDetokenize(services: GenerationServices): Detokenize {
  return async (input, signal) => {
    if (input.tokens.length > maxTokens) throw new HearthError('bad_request', `more than ${maxTokens} tokens`);
    const model = await openForTokens(services, input);
    try {
      return await model.detokenize(input.tokens, signal);
    } finally {
      model.release();
    }
  };
}

function openForTokens(services: GenerationServices, input: Reported<ModelInput>) {
  const startedAt = services.clock.monotonic();
  return prepareModel(services, { ...input, startedAt, notFound: notFoundInEmbed(input.model) });
}
