// POST /api/embed and its predecessor POST /api/embeddings on the wire.

import { Type } from 'typebox';
import { keepAliveField, modelField, optionsField, requiresModel } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

const commonFields = { model: modelField, options: optionsField, keep_alive: keepAliveField };
const Vector = Type.Array(Type.Number());

export const EmbedRequestBody = Type.Object(
  {
    ...commonFields,
    input: Type.Optional(
      Type.Unknown({
        description: 'A string or an array of strings.',
        documented: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      }),
    ),
    truncate: Type.Optional(
      Type.Boolean({ description: 'False: an input that is longer than the context is an error. Default: true.' }),
    ),
    dimensions: Type.Optional(
      Type.Integer({ description: 'Shortens each vector to this length.', documented: { minimum: 0 } }),
    ),
  },
  requiresModel,
);
export type EmbedRequestBody = Wire<typeof EmbedRequestBody>;

export const EmbedResponseBody = Type.Object({
  model: Type.String(),
  embeddings: Type.Array(Vector),
  total_duration: Type.Integer({ description: 'Nanoseconds.' }),
  load_duration: Type.Integer({ description: 'Nanoseconds.' }),
  prompt_eval_count: Type.Integer({ description: 'Tokens.' }),
});
export type EmbedResponseBody = Wire<typeof EmbedResponseBody>;

export const EmbeddingsRequestBody = Type.Object(
  { ...commonFields, prompt: Type.Optional(Type.String()) },
  requiresModel,
);
export type EmbeddingsRequestBody = Wire<typeof EmbeddingsRequestBody>;

export const EmbeddingsResponseBody = Type.Object({ embedding: Vector });
