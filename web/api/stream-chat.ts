// POST /api/chat as a stream of objects.

import type { ChatRequestBody, ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { ApiError, toApiError } from './api-error.ts';
import { readLines } from './read-lines.ts';
import { request } from './request.ts';

export type StreamChat = (body: ChatRequestBody, signal: AbortSignal) => AsyncIterable<ChatResponseBody>;

export async function* streamChat(body: ChatRequestBody, signal: AbortSignal): AsyncGenerator<ChatResponseBody> {
  const response = await request('/api/chat', { method: 'POST', body, signal });
  if (response.body === null) throw new ApiError('The answer is empty.', { status: response.status, code: 'empty' });
  let isDone = false;
  for await (const line of readLines(response.body)) {
    const part = JSON.parse(line) as ChatResponseBody & { readonly error?: string };
    // The status was sent before: an error in the middle of an answer is its last line.
    if (part.error !== undefined) throw toApiError(part, response.status);
    isDone = part.done;
    yield part;
  }
  if (!isDone) throw new ApiError('The connection ended before the answer did.', { status: 0, code: 'incomplete' });
}
