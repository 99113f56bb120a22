// The event for a request that cannot be carried out.

import { HearthError, messageOf } from '../../base/errors.ts';
import type { FailedEvent } from '../protocol/messages.ts';

export function toFailedEvent(id: number, error: unknown): FailedEvent {
  const code = error instanceof HearthError && error.code === 'bad_request' ? 'bad_request' : 'request_failed';
  return { type: 'failed', id, code, message: messageOf(error) };
}
