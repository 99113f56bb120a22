// The objects that create, pull and push stream. The last one has the status "success".

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const ProgressResponseBody = Type.Object({
  status: Type.String(),
  digest: Type.Optional(Type.String()),
  total: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  completed: Type.Optional(Type.Integer({ description: 'Bytes.' })),
});
export type ProgressResponseBody = Wire<typeof ProgressResponseBody>;
