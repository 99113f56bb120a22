// POST /api/create on the wire: the older form with a Modelfile, and the newer one with a field for each part.

import { Type } from 'typebox';
import { legacyNameField, modelField, streamField } from '../../common-fields-schema.ts';
import type { Wire } from '../../wire-schema.ts';

const Message = Type.Object({ role: Type.String(), content: Type.Optional(Type.String()) });
const Files = Type.Record(Type.String(), Type.String(), { description: 'Digest of an uploaded blob by file name.' });

export const CreateRequestBody = Type.Object({
  model: modelField,
  name: legacyNameField,
  modelfile: Type.Optional(Type.String({ description: 'The text of a Modelfile.' })),
  path: Type.Optional(Type.String({ description: 'The path of a Modelfile on the machine of the server.' })),
  quantize: Type.Optional(Type.String({ description: 'Quantize the weights to this type, such as q4_K_M.' })),
  quantization: Type.Optional(Type.String({ description: 'Deprecated: use `quantize`.' })),
  stream: streamField,
  from: Type.Optional(Type.String({ description: 'The model to start from.' })),
  files: Type.Optional(Files),
  adapters: Type.Optional(Files),
  template: Type.Optional(Type.String()),
  system: Type.Optional(Type.String()),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messages: Type.Optional(Type.Array(Message)),
  license: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
});
export type CreateRequestBody = Wire<typeof CreateRequestBody>;
