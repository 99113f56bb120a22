// What chat completions and completions have in common on the wire.

import { type Static, Type } from 'typebox';

/** Anything else that callers send is ignored, as everywhere. */
export const generationFields = {
  model: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
  temperature: Type.Optional(Type.Number()),
  top_p: Type.Optional(Type.Number()),
  seed: Type.Optional(Type.Integer()),
  /** A text or a list of texts. */
  stop: Type.Optional(Type.Unknown()),
  max_tokens: Type.Optional(Type.Integer()),
  frequency_penalty: Type.Optional(Type.Number()),
  presence_penalty: Type.Optional(Type.Number()),
  /** By token number, as a text. */
  logit_bias: Type.Optional(Type.Record(Type.String(), Type.Number())),
  /** How many answers to give. */
  n: Type.Optional(Type.Integer()),
  /** These three are not OpenAI's: everything that the native dialect can set. */
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  num_ctx: Type.Optional(Type.Integer()),
  keep_alive: Type.Optional(Type.Unknown()),
};

const GenerationFields = Type.Object(generationFields);
export type GenerationFields = Static<typeof GenerationFields>;

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** On every object, whole or chunk. */
export interface CompletionHead<Kind extends string> {
  readonly id: string;
  readonly object: Kind;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
}
