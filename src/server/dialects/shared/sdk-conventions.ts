// What the dialects of OpenAI and Anthropic share, because their SDKs are built alike: the statuses of errors, and
// streams of server-sent events.

import type { ErrorCode } from '../../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';

/** The SDKs repeat a request after a 500, which does not help with a wrong option. */
export function sdkStatusOf(code: ErrorCode): number {
  return code === 'bad_option' ? 400 : statusOf[code];
}

export const eventStream = { contentType: 'text/event-stream', headers: { 'cache-control': 'no-cache' } } as const;

export function frameData(object: object): string {
  return `data: ${JSON.stringify(object)}\n\n`;
}

/** The name of an event is its type. Anthropic's SDK ignores events without a name. */
export function frameEvent(event: object): string {
  return `event: ${(event as { readonly type: string }).type}\n${frameData(event)}`;
}
