// What chat completions and completions have in common on the wire.

import { type Static, Type } from 'typebox';

/** Anything else that callers send is ignored, as everywhere. */
export const generationFields = {
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  stream: Type.Optional(Type.Boolean({ description: 'True: server-sent events instead of one object.' })),
  stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) })),
  temperature: Type.Optional(Type.Number()),
  top_p: Type.Optional(Type.Number()),
  seed: Type.Optional(Type.Integer()),
  stop: Type.Optional(Type.Unknown({ description: 'A text or a list of texts.' })),
  max_tokens: Type.Optional(Type.Integer()),
  frequency_penalty: Type.Optional(Type.Number()),
  presence_penalty: Type.Optional(Type.Number()),
  /** By token number, as a text. */
  logit_bias: Type.Optional(Type.Record(Type.String(), Type.Number())),
  n: Type.Optional(Type.Integer({ description: 'How many answers to give.' })),
  /** These three are not OpenAI's: everything that the native dialect can set. */
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
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
