// POST /api/copy and DELETE /api/delete on the wire.

import { Type } from 'typebox';
import { documentedName, legacyNameField, modelField, requiresModel } from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

export const CopyRequestBody = Type.Object(
  {
    source: Type.Optional(
      Type.String({ description: 'Name of the model to copy. Required.', documented: documentedName }),
    ),
    destination: Type.Optional(Type.String({ description: 'The new name. Required.', documented: documentedName })),
  },
  { documented: { required: ['source', 'destination'] } },
);
export type CopyRequestBody = Wire<typeof CopyRequestBody>;

export const DeleteRequestBody = Type.Object({ model: modelField, name: legacyNameField }, requiresModel);
export type DeleteRequestBody = Wire<typeof DeleteRequestBody>;
