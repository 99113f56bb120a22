// POST /v1/embeddings on the wire.

import { type Static, Type } from 'typebox';

export const EmbeddingRequest = Type.Object({
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  input: Type.Optional(
    Type.Unknown({ description: 'A text, a list of texts, the tokens of a text, or a list of such.' }),
  ),
  encoding_format: Type.Optional(Type.String()),
  dimensions: Type.Optional(Type.Integer()),
  /** Not OpenAI's, as in the other requests. */
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
  num_ctx: Type.Optional(Type.Integer()),
  keep_alive: Type.Optional(Type.Unknown()),
  truncate: Type.Optional(Type.Boolean()),
});
export type EmbeddingRequest = Static<typeof EmbeddingRequest>;
