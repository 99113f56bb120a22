// POST /api/push on the wire. It streams statuses, as create does.

import { type Static, Type } from 'typebox';

export const PushRequest = Type.Object({
  model: Type.Optional(Type.String()),
  /** The older name of `model`. */
  name: Type.Optional(Type.String()),
  insecure: Type.Optional(Type.Boolean()),
  stream: Type.Optional(Type.Boolean()),
});
export type PushRequest = Static<typeof PushRequest>;
