// GET, POST and DELETE /api/session on the wire.

import { Type } from 'typebox';
import { keyScopes } from '../../base/request/caller-key.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const SessionRequestBody = Type.Object({ key: Type.String() });
export type SessionRequestBody = Wire<typeof SessionRequestBody>;

export const SessionResponseBody = Type.Object({
  key_required: Type.Boolean({ description: 'Whether requests need a key.' }),
  name: Type.Optional(Type.String({ description: 'Of the key or the user of the request.' })),
  key_name: Type.Optional(Type.String({ description: 'The key of the request, if a user has created it.' })),
  scope: Type.Optional(Type.Enum([...keyScopes])),
  is_user: Type.Optional(Type.Boolean({ description: 'Whether it is a user who has signed in.' })),
  sign_in_url: Type.Optional(Type.String({ description: 'Where users sign in; absent if they cannot.' })),
  sign_out_url: Type.Optional(Type.String({ description: 'Where a user also signs out of the provider.' })),
});
export type SessionResponseBody = Wire<typeof SessionResponseBody>;
