// POST /api/create on the wire: the form with a Modelfile, and the later one with a field for each part.

import { type Static, Type } from 'typebox';

const Message = Type.Object({ role: Type.String(), content: Type.Optional(Type.String()) });
const Files = Type.Record(Type.String(), Type.String());

export const CreateRequest = Type.Object({
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  name: Type.Optional(Type.String({ description: 'The older name of `model`.' })),
  modelfile: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  quantize: Type.Optional(Type.String()),
  quantization: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Boolean({ description: 'False: one object instead of a stream.' })),
  from: Type.Optional(Type.String()),
  files: Type.Optional(Files),
  adapters: Type.Optional(Files),
  template: Type.Optional(Type.String()),
  system: Type.Optional(Type.String()),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  messages: Type.Optional(Type.Array(Message)),
  license: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
});
export type CreateRequest = Static<typeof CreateRequest>;

/** What create, pull and push stream. */
export interface StatusResponse {
  readonly status: string;
  readonly digest?: string;
  readonly total?: number;
  readonly completed?: number;
}
