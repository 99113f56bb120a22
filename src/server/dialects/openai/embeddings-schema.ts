// POST /v1/embeddings on the wire.

import { Type } from 'typebox';
import {
  documentedTexts,
  keepAliveField,
  modelField,
  optionsField,
  quietField,
} from '../shared/common-fields-schema.ts';
import type { Wire } from '../shared/wire-schema.ts';
import { numCtxField } from './generation-schema.ts';

export const OpenAiEmbeddingsRequestBody = Type.Object(
  {
    model: modelField,
    input: Type.Optional(
      Type.Unknown({
        description: 'A string, an array of strings, an array of token ids, or an array of those.',
        // An empty text is embedded, an empty array is an error.
        emptyValues: ['string', 'array', 'object'],
        documented: documentedTexts,
      }),
    ),
    encoding_format: Type.Optional(
      Type.String({ description: '"float" or "base64".', documented: { enum: ['float', 'base64'] } }),
    ),
    dimensions: Type.Optional(
      Type.Integer({ description: 'Shortens each vector to this length.', documented: { minimum: 0 } }),
    ),
    user: quietField,
    /** The next four are not part of the OpenAI API. */
    options: optionsField,
    num_ctx: numCtxField,
    keep_alive: keepAliveField,
    truncate: Type.Optional(
      Type.Boolean({ description: 'False: an input that is longer than the context is an error. Default: true.' }),
    ),
  },
  { documented: { required: ['model', 'input'] } },
);
export type OpenAiEmbeddingsRequestBody = Wire<typeof OpenAiEmbeddingsRequestBody>;

export const OpenAiEmbeddingsResponseBody = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer(),
      embedding: Type.Union([
        Type.Array(Type.Number()),
        Type.String({ description: 'Little-endian float32 values in base64.' }),
      ]),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
});
export type OpenAiEmbeddingsResponseBody = Wire<typeof OpenAiEmbeddingsResponseBody>;
