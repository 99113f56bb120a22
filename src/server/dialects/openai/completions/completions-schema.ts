// POST /v1/completions on the wire.

import { type Static, Type } from 'typebox';
import { type CompletionHead, generationFields, type Usage } from '../generation-schema.ts';

export const CompletionRequest = Type.Object({
  ...generationFields,
  prompt: Type.Optional(
    Type.Unknown({ description: 'A text, a list of texts, the tokens of a text, or a list of such.' }),
  ),
  suffix: Type.Optional(Type.String({ description: 'Text behind the gap that is to be filled.' })),
  echo: Type.Optional(Type.Boolean({ description: 'Whether the answer repeats the prompt.' })),
  logprobs: Type.Optional(Type.Integer({ description: 'How many of the likeliest tokens to name beside each.' })),
  raw: Type.Optional(
    Type.Boolean({ description: "Not OpenAI's: the prompt goes to the model as it is, without the model's template." }),
  ),
});
export type CompletionRequest = Static<typeof CompletionRequest>;

export interface CompletionLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly number[];
  readonly top_logprobs: readonly Readonly<Record<string, number>>[];
  /** Where each token begins in the text. */
  readonly text_offset: readonly number[];
}

export interface CompletionChoice {
  readonly index: number;
  readonly text: string;
  readonly logprobs: CompletionLogprobs | null;
  readonly finish_reason: 'stop' | 'length' | null;
}

/** Whole answers and chunks have the same shape. */
export interface Completion extends CompletionHead<'text_completion'> {
  readonly choices: readonly CompletionChoice[];
  readonly usage?: Usage | null;
}
