// POST /api/pull and POST /api/push on the wire.

import { Type } from 'typebox';
import { legacyNameField, modelField, requiresModel, streamField } from '../../common-fields-schema.ts';
import type { Wire } from '../../wire-schema.ts';

/** Pull and push have the same fields. */
export const TransferRequestBody = Type.Object(
  {
    model: modelField,
    name: legacyNameField,
    insecure: Type.Optional(Type.Boolean({ description: 'Connect to the registry over plain HTTP.' })),
    stream: streamField,
  },
  requiresModel,
);
export type TransferRequestBody = Wire<typeof TransferRequestBody>;
