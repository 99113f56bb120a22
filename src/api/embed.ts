// POST /api/embed and its predecessor POST /api/embeddings on the wire.

import { type Static, Type } from 'typebox';

const common = {
  model: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** A number of seconds or a duration; read by parseKeepAlive, whose messages are better than a schema's. */
  keep_alive: Type.Optional(Type.Unknown()),
};

export const EmbedRequest = Type.Object({
  ...common,
  /** A text or a list of texts. */
  input: Type.Optional(Type.Unknown()),
  truncate: Type.Optional(Type.Boolean()),
  /** So many numbers of each vector, the first ones. */
  dimensions: Type.Optional(Type.Integer()),
});
export type EmbedRequest = Static<typeof EmbedRequest>;

export const EmbeddingsRequest = Type.Object({ ...common, prompt: Type.Optional(Type.String()) });
export type EmbeddingsRequest = Static<typeof EmbeddingsRequest>;

export interface EmbedResponse {
  readonly model: string;
  readonly embeddings: readonly (readonly number[])[];
  readonly total_duration?: number;
  readonly load_duration?: number;
  readonly prompt_eval_count?: number;
}
