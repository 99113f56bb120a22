// GET /v1/models, GET and DELETE /v1/models/:id on the wire.

import { Type } from 'typebox';
import type { Wire } from '../wire-schema.ts';

export const OpenAiModelResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Seconds since the epoch.' }),
  owned_by: Type.String(),
});
export type OpenAiModelResponseBody = Wire<typeof OpenAiModelResponseBody>;

export const OpenAiModelListResponseBody = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(OpenAiModelResponseBody),
});
export type OpenAiModelListResponseBody = Wire<typeof OpenAiModelListResponseBody>;

export const OpenAiDeleteResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  deleted: Type.Literal(true),
});
export type OpenAiDeleteResponseBody = Wire<typeof OpenAiDeleteResponseBody>;
