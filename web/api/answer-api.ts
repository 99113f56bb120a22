// Answers of models: POST /api/chat, and GET and DELETE for its request. The server goes on with an answer that is
// resumable while nobody is connected.

import type { ChatRequestBody, ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type FollowOptions, followAnswer } from './follow-answer.ts';
import { request } from './request.ts';

export interface StartOptions {
  readonly signal: AbortSignal;
  /** Called with the id of the request when the server has it. */
  readonly onStarted: (id: string) => void;
}

export interface AnswerApi {
  start(body: ChatRequestBody, options: StartOptions): AsyncIterable<ChatResponseBody>;
  /** The rest of an answer, also of one that another page started. */
  resume(
    request: { readonly id: string; readonly received: number },
    signal: AbortSignal,
  ): AsyncIterable<ChatResponseBody>;
  cancel(id: string): Promise<void>;
}

// Milliseconds. Without its id, an answer could not be canceled: a connection is not closed before it had time to come.
const idTime = 1000;

const pathOf = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;

export const answerApi: AnswerApi = {
  async *start(body, { signal, onStarted }) {
    const connection = new AbortController();
    let close = (): void => void setTimeout(() => connection.abort(), idTime);
    signal.addEventListener('abort', () => close(), { once: true });
    const first = await request('/api/chat', { method: 'POST', body, signal: connection.signal });
    close = () => connection.abort();
    if (signal.aborted) close();
    const id = first.headers.get('x-request-id') ?? '';
    onStarted(id);
    yield* followAnswer({ first, from: 0, ...connectionsTo(id, signal) });
  },
  resume: ({ id, received }, signal) => followAnswer({ from: received, ...connectionsTo(id, signal) }),
  async cancel(id) {
    await request(pathOf(id), { method: 'DELETE' });
  },
};

function connectionsTo(id: string, signal: AbortSignal): Pick<FollowOptions, 'connect' | 'pause' | 'signal'> {
  return {
    connect: (from) => request(`${pathOf(id)}/stream?from=${from}`, { signal }),
    pause: (milliseconds) => pause(milliseconds, signal),
    signal,
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
