// GET /api/key on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const KeyResponseBody = Type.Object({
  public_key: Type.String({ description: 'A line of an authorized_keys file.' }),
});
export type KeyResponseBody = Wire<typeof KeyResponseBody>;
