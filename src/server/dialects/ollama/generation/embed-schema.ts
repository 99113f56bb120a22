// POST /api/embed and its predecessor POST /api/embeddings on the wire.

import { type Static, Type } from 'typebox';

const common = {
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
  keep_alive: Type.Optional(
    Type.Unknown({ description: 'A number of seconds or a duration such as "5m"; how long the model stays loaded.' }),
  ),
};

export const EmbedRequest = Type.Object({
  ...common,
  input: Type.Optional(Type.Unknown({ description: 'A text or a list of texts.' })),
  truncate: Type.Optional(Type.Boolean()),
  dimensions: Type.Optional(Type.Integer({ description: 'So many numbers of each vector, the first ones.' })),
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
