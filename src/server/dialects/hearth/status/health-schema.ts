// GET /health, /livez and /readyz on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const HealthResponseBody = Type.Object({ status: Type.Literal('ok') });
export type HealthResponseBody = Wire<typeof HealthResponseBody>;
