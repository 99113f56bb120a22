// POST /api/copy and DELETE /api/delete on the wire.

import { type Static, Type } from 'typebox';

export const CopyRequest = Type.Object({
  source: Type.Optional(Type.String()),
  destination: Type.Optional(Type.String()),
});
export type CopyRequest = Static<typeof CopyRequest>;

export const DeleteRequest = Type.Object({
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  name: Type.Optional(Type.String({ description: 'The older name of `model`.' })),
});
export type DeleteRequest = Static<typeof DeleteRequest>;
