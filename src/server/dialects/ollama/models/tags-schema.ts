// GET /api/tags on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../common-fields-schema.ts';
import type { Wire } from '../../wire-schema.ts';
import { listedModelFields } from './details-schema.ts';

export const TagsResponseBody = Type.Object({
  models: Type.Array(Type.Object({ ...listedModelFields, modified_at: timestampField })),
});
export type TagsResponseBody = Wire<typeof TagsResponseBody>;
