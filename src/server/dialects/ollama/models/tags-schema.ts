// GET /api/tags on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { listedModelFields, remoteModelFields } from './details-schema.ts';

export const TagsResponseBody = Type.Object({
  models: Type.Array(
    Type.Object({
      ...listedModelFields,
      modified_at: timestampField,
      capabilities: Type.Optional(Type.Array(Type.String(), { description: 'Absent if the model cannot be read.' })),
      ...remoteModelFields,
    }),
  ),
});
export type TagsResponseBody = Wire<typeof TagsResponseBody>;
