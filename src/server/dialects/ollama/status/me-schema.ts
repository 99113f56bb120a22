// POST /api/me on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const MeResponseBody = Type.Object({
  name: Type.Literal('', { description: 'Empty: there are no accounts.' }),
  email: Type.Literal(''),
});
export type MeResponseBody = Wire<typeof MeResponseBody>;
