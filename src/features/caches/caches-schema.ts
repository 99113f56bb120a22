// GET /api/caches on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const CachesResponseBody = Type.Object({
  models: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The name for pull and run, or else that of the file.' }),
      program: Type.Enum(['huggingface', 'lmstudio']),
      files: Type.Array(Type.String(), { description: 'Paths: the parts of the weights, for FROM in a Modelfile.' }),
      projector: Type.Optional(Type.String({ description: 'The path of the image encoder.' })),
      size: Type.Integer({ description: 'Bytes.' }),
      modified_at: timestampField,
    }),
  ),
});
export type CachesResponseBody = Wire<typeof CachesResponseBody>;
