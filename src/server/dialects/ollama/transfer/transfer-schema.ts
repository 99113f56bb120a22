// POST /api/pull and POST /api/push on the wire.

import { Type } from 'typebox';
import {
  documentedRemoteName,
  legacyNameField,
  modelField,
  requiresModel,
  streamField,
} from '../../shared/common-fields-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';

/** Documentation of the errors of registries. */
export const registryFailures = { 502: 'The registry cannot be reached, or its answer is not valid' };

const fields = {
  model: modelField,
  name: legacyNameField,
  insecure: Type.Optional(Type.Boolean({ description: 'Connect to the registry over plain HTTP.' })),
  stream: streamField,
};

const pushedModelField = Type.Optional(
  Type.String({ description: 'Model name, with a namespace. Required.', documented: documentedRemoteName }),
);

export const PushRequestBody = Type.Object(
  {
    ...fields,
    model: pushedModelField,
    format: Type.Optional(
      Type.Enum(['ollama', 'modelpack'], {
        description: 'How the model is packed: as in the store (default), or as an OCI artifact of CNCF ModelPack.',
      }),
    ),
  },
  requiresModel,
);
export type PushRequestBody = Wire<typeof PushRequestBody>;

export const PullRequestBody = Type.Object(
  {
    ...fields,
    as: Type.Optional(
      Type.String({ description: 'The new name of a model from a package. Default: the name of the package.' }),
    ),
  },
  requiresModel,
);
export type PullRequestBody = Wire<typeof PullRequestBody>;
