// GET /api/tags on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../common-fields-schema.ts';
import type { Wire } from '../../wire-schema.ts';
import { listedModelFields } from './details-schema.ts';

export const TagsResponseBody = Type.Object({
  models: Type.Array(
    Type.Object({
      ...listedModelFields,
      modified_at: timestampField,
      capabilities: Type.Optional(Type.Array(Type.String(), { description: 'Absent if the model cannot be read.' })),
      remote_model: Type.Optional(Type.String({ description: 'Only for a model that runs on another host.' })),
      remote_host: Type.Optional(Type.String()),
    }),
  ),
});
export type TagsResponseBody = Wire<typeof TagsResponseBody>;
