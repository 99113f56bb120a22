// Tokenizes and detokenizes texts.

import { HearthError } from '../../../base/errors.ts';
import type { Reported } from '../../../base/request/request-report.ts';
import type { Model, TokenBytes } from '../../../inference/model/model.ts';
import { type GenerationServices, type ModelInput, notFoundInEmbed, prepareModel } from './prepare-model.ts';

interface TokenizeInput extends ModelInput {
  readonly text: string;
  /** Whether to add the model's special tokens around the text. */
  readonly addSpecial: boolean;
  /** The names of control tokens are text like any other. */
  readonly plain?: boolean;
}

interface DetokenizeInput extends ModelInput {
  readonly tokens: readonly number[];
}

export type Tokenize = (input: Reported<TokenizeInput>, signal: AbortSignal) => Promise<readonly number[]>;
/** The bytes of each token. */
export type ReadPieces = (input: Reported<DetokenizeInput>, signal: AbortSignal) => Promise<TokenBytes>;
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
      return await model.tokenize(input.text, input, signal);
    } finally {
      model.release();
    }
  };
}

export function createDetokenize(services: GenerationServices): Detokenize {
  return (input, signal) => askTokens(services, input, (model) => model.detokenize(input.tokens, signal));
}

export function createReadPieces(services: GenerationServices): ReadPieces {
  return (input, signal) => askTokens(services, input, (model) => model.piecesOf(input.tokens, signal));
}

async function askTokens<Answer>(
  services: GenerationServices,
  input: Reported<DetokenizeInput>,
  ask: (model: Model) => Promise<Answer>,
): Promise<Answer> {
  if (input.tokens.length > maxTokens) throw new HearthError('bad_request', `more than ${maxTokens} tokens`);
  const model = await openForTokens(services, input);
  try {
    return await ask(model);
  } finally {
    model.release();
  }
}

function openForTokens(services: GenerationServices, input: Reported<ModelInput>) {
  const startedAt = services.clock.monotonic();
  return prepareModel(services, { ...input, startedAt, notFound: notFoundInEmbed(input.model) });
}
