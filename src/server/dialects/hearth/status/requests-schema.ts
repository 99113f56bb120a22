// DELETE /api/requests/:id on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const CancelResponseBody = Type.Object({ status: Type.Literal('cancelled') });
export type CancelResponseBody = Wire<typeof CancelResponseBody>;
