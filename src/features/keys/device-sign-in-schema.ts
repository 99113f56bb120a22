// POST /api/sign-in/device and POST /api/sign-in/device/key on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const DeviceSignInBody = Type.Object({
  token: Type.String({ description: 'For POST /api/sign-in/device/key. It means something to this server only.' }),
  user_code: Type.String({ description: 'What the person types at the address.' }),
  verification_url: Type.String(),
  verification_url_complete: Type.Optional(Type.String({ description: 'With the code in it.' })),
  expires_in: Type.Number({ description: 'Seconds.' }),
  interval: Type.Number({ description: 'Seconds between two questions whether the person has decided.' }),
});
export type DeviceSignInBody = Wire<typeof DeviceSignInBody>;

export const DeviceKeyRequestBody = Type.Object({
  token: Type.String(),
  name: Type.String({
    description: 'The name of the key. It follows the name of the user.',
    documented: { pattern: '^[A-Za-z0-9_-]{1,20}$' },
  }),
});
export type DeviceKeyRequestBody = Wire<typeof DeviceKeyRequestBody>;

export const DeviceKeyBody = Type.Object({
  pending: Type.Boolean({ description: 'True: the person has not decided yet; ask again after the interval.' }),
  slow_down: Type.Optional(Type.Boolean({ description: 'The interval must be five seconds longer.' })),
  key: Type.Optional(Type.String({ description: 'Shown once.' })),
  name: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
  expires_at: Type.Optional(Type.String()),
});
export type DeviceKeyBody = Wire<typeof DeviceKeyBody>;
