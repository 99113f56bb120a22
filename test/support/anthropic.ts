// Requests in the Anthropic dialect, with nothing between the test and the bytes.

import type { AnthropicErrorResponseBody } from '../../src/server/dialects/anthropic/error-schema.ts';
import type {
  MessageEvent,
  MessageResponseBody,
} from '../../src/server/dialects/anthropic/response/messages-response-schema.ts';
import type { Body } from './client.ts';

export interface AnthropicReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: MessageResponseBody & Partial<Pick<AnthropicErrorResponseBody, 'error'>>;
}

export async function postMessages(url: string, body: Body | string, path = '/v1/messages'): Promise<AnthropicReply> {
  const response = await fetch(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify({ model: 'ember', max_tokens: 200, ...body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The events of a stream. Each must have its type as its name. */
export function messageEventsOf(text: string): MessageEvent[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = JSON.parse(data ?? 'null');
      if (event?.type !== name) throw new Error(`not an event with its name: ${frame}`);
      return event;
    });
}
