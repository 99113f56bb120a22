// POST /v1/embeddings on the wire.

import { type Static, Type } from 'typebox';

export const EmbeddingRequest = Type.Object({
  model: Type.Optional(Type.String()),
  /** A text, a list of texts, the tokens of a text, or a list of such. */
  input: Type.Optional(Type.Unknown()),
  encoding_format: Type.Optional(Type.String()),
  dimensions: Type.Optional(Type.Integer()),
  /** Not OpenAI's, as in the other requests. */
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  num_ctx: Type.Optional(Type.Integer()),
  keep_alive: Type.Optional(Type.Unknown()),
  truncate: Type.Optional(Type.Boolean()),
});
export type EmbeddingRequest = Static<typeof EmbeddingRequest>;
