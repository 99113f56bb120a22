// POST /api/imatrix and GET /api/imatrix/:digest on the wire.

import { Type } from 'typebox';
import { documentedName, modelField, streamField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const ImatrixRequestBody = Type.Object(
  {
    model: modelField,
    text: Type.Optional(
      Type.String({
        description: 'At least 512 tokens; some ten thousand are usual. Like what the model is used for. Required.',
      }),
    ),
    name: Type.Optional(
      Type.String({ description: 'The name of the text, which is written into the file.', documented: documentedName }),
    ),
    max_chunks: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'At most this many chunks of 512 tokens are evaluated.',
      }),
    ),
    stream: streamField,
  },
  { documented: { required: ['model', 'text'] } },
);
export type ImatrixRequestBody = Wire<typeof ImatrixRequestBody>;

export const ImatrixDoneBody = Type.Object({
  status: Type.Literal('success'),
  model: Type.String(),
  digest: Type.String({ description: 'The importance matrix, for `imatrix` of `POST /api/create`.' }),
  size: Type.Integer({ description: 'Bytes.' }),
  chunks: Type.Integer({ description: 'Chunks of 512 tokens that were evaluated.' }),
  tokens: Type.Integer(),
  matrices: Type.Integer({ description: 'Matrices of the model that it describes.' }),
});
export type ImatrixDoneBody = Wire<typeof ImatrixDoneBody>;

export const ImatrixResponseBody = Type.Union([
  Type.Object({
    status: Type.Literal('computing'),
    completed: Type.Integer({ description: 'Chunks that were evaluated.' }),
    total: Type.Integer(),
  }),
  ImatrixDoneBody,
]);
export type ImatrixResponseBody = Wire<typeof ImatrixResponseBody>;
