// DELETE /api/requests/:id and GET /api/requests/:id/stream on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../wire-schema.ts';
import { ChatResponseBody } from '../generation/chat-schema.ts';
import { GenerateResponseBody } from '../generation/generate-schema.ts';

export const CancelResponseBody = Type.Object({ status: Type.Literal('cancelled') });
export type CancelResponseBody = Wire<typeof CancelResponseBody>;

/** An object of the answer, as it was sent at first. */
export const ResumedObject = Type.Union([ChatResponseBody, GenerateResponseBody]);
