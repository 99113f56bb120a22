// Answers of models: POST /api/chat, GET and DELETE for its request, and its place in the queue. The server goes on with a
// resumable answer while no client is connected.

import type { QueueResponseBody } from '../../src/server/dialects/hearth/status/queue-schema.ts';
import type { ChatRequestBody, ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type FollowOptions, followAnswer } from './follow-answer.ts';
import { request, requestJson } from './request.ts';

/** Without its id, an answer could not be canceled: a connection is not closed before the id had time to come. */
const idMs = 1000;

const pathOf = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;

interface StartOptions {
  readonly signal: AbortSignal;
  /** Called with the id of the request when the server has it. */
  readonly onStarted: (id: string) => void;
}

export type AnswerApi = typeof answerApi;
export const answerApi = {
  async *start(body: ChatRequestBody, { signal, onStarted }: StartOptions): AsyncGenerator<ChatResponseBody> {
    const connection = new AbortController();
    let close = (): void => void setTimeout(() => connection.abort(), idMs);
    signal.addEventListener('abort', () => close(), { once: true });
    const first = await request('/api/chat', { method: 'POST', body, signal: connection.signal });
    close = () => connection.abort();
    if (signal.aborted) close();
    const id = first.headers.get('x-request-id') ?? '';
    onStarted(id);
    yield* followAnswer({ first, from: 0, ...connectionsTo(id, signal) });
  },
  /** The rest of an answer, also of one that another page started. */
  resume({ id, received }: { readonly id: string; readonly received: number }, signal: AbortSignal) {
    return followAnswer({ from: received, ...connectionsTo(id, signal) });
  },
  async cancel(id: string): Promise<void> {
    await request(pathOf(id), { method: 'DELETE' });
  },
};

function connectionsTo(id: string, signal: AbortSignal): Pick<FollowOptions, 'connect' | 'pause' | 'signal'> {
  return {
    connect: (from) => request(`${pathOf(id)}/stream?from=${from}`, { signal }),
    pause: (milliseconds) =>
      new Promise((resolve) => {
        setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    signal,
  };
}

export interface QueuePlace {
  /** 1: the request is the next one. */
  readonly position: number;
  /** All requests that wait for the same model. */
  readonly length: number;
}

export async function readPlace(id: string): Promise<QueuePlace | undefined> {
  return findPlace(await requestJson<QueueResponseBody>('/api/queue'), id);
}

/** undefined: the request does not wait. */
export function findPlace({ queues }: QueueResponseBody, id: string): QueuePlace | undefined {
  for (const { waiting } of queues) {
    const index = waiting.findIndex((request) => request.id === id);
    if (index !== -1) return { position: index + 1, length: waiting.length };
  }
  return undefined;
}
