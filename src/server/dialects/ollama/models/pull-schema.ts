// POST /api/pull on the wire. It streams statuses, as create does.

import { type Static, Type } from 'typebox';

export const PullRequest = Type.Object({
  model: Type.Optional(Type.String()),
  /** The older name of `model`. */
  name: Type.Optional(Type.String()),
  insecure: Type.Optional(Type.Boolean()),
  stream: Type.Optional(Type.Boolean()),
});
export type PullRequest = Static<typeof PullRequest>;
