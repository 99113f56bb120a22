// GET, POST and DELETE /api/session on the wire.

import { Type } from 'typebox';
import { keyScopes } from '../../base/request/caller-key.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const SessionRequestBody = Type.Object({ key: Type.String() });
export type SessionRequestBody = Wire<typeof SessionRequestBody>;

export const SessionResponseBody = Type.Object({
  key_required: Type.Boolean({ description: 'Whether requests need a key.' }),
  name: Type.Optional(Type.String({ description: 'Of the key that the request carries.' })),
  scope: Type.Optional(Type.Enum([...keyScopes])),
});
export type SessionResponseBody = Wire<typeof SessionResponseBody>;
