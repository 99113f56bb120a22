// GET /v1/models, GET and DELETE /v1/models/:id on the wire. OpenAI and Anthropic have the same paths, so responses have
// the fields of both.

import { Type } from 'typebox';
import { timestampField } from '../shared/common-fields-schema.ts';
import type { Wire } from '../shared/wire-schema.ts';

export const OpenAiModelResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Seconds since the epoch.' }),
  owned_by: Type.String(),
  type: Type.Literal('model'),
  display_name: Type.String(),
  created_at: timestampField,
});
export type OpenAiModelResponseBody = Wire<typeof OpenAiModelResponseBody>;

export const OpenAiModelListResponseBody = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(OpenAiModelResponseBody),
  has_more: Type.Boolean({ description: 'Always false: the list is complete.' }),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
});
export type OpenAiModelListResponseBody = Wire<typeof OpenAiModelListResponseBody>;

export const OpenAiDeleteResponseBody = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  deleted: Type.Literal(true),
});
export type OpenAiDeleteResponseBody = Wire<typeof OpenAiDeleteResponseBody>;
