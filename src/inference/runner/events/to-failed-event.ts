// The event for a request that cannot be carried out.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { FailedEvent } from '../../protocol/messages.ts';

export function toFailedEvent(id: number, error: unknown): FailedEvent {
  return { type: 'failed', id, code: codeOf(error), message: messageOf(error) };
}

function codeOf(error: unknown): FailedEvent['code'] {
  const code = error instanceof HearthError ? error.code : undefined;
  return code === 'bad_request' || code === 'prompt_too_long' ? code : 'request_failed';
}
