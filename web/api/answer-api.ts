// Answers of models: POST /api/chat, GET and DELETE for its request, and its place in the queue. The server goes on with a
// resumable answer while no client is connected.

import type { QueueResponseBody } from '../../src/server/dialects/hearth/status/queue-schema.ts';
import type { ChatRequestBody, ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import { type FollowOptions, followAnswer } from './follow-answer.ts';
import { ApiError, request, requestJson } from './request.ts';

/** Without its id, an answer could not be canceled: a connection is not closed before the id had time to come. */
const idMs = 1000;

const pathOf = (id: string): string => `/api/requests/${encodeURIComponent(id)}`;

/** What a caller does while it receives an answer. */
export interface ReceiveOptions {
  readonly signal: AbortSignal;
  /** Whether the connection is lost, and another one is being tried. */
  readonly onLost: (isLost: boolean) => void;
  /** Resolves when the user does not want to wait for the next attempt. */
  readonly retry: () => Promise<void>;
}

interface StartOptions extends ReceiveOptions {
  /** Called with the id of the request when the server has it; again if a restarted server gets the request again. */
  readonly onStarted: (id: string) => void;
}

export type AnswerApi = typeof answerApi;
export const answerApi = {
  async *start(body: ChatRequestBody, options: StartOptions): AsyncGenerator<ChatResponseBody> {
    let hasText = false;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (const part of startOnce(body, options)) {
          hasText ||= isText(part);
          yield part;
        }
        return;
      } catch (error) {
        // The server was restarted before the first text, so nothing is lost by asking again.
        if (!isForgotten(error) || hasText || attempt === maxStarts) throw error;
        options.onLost(false);
      }
    }
  },
  /** The rest of an answer, also of one that another page started. */
  resume({ id, received }: { readonly id: string; readonly received: number }, options: ReceiveOptions) {
    return followAnswer({ from: received, ...connectionsTo(id, options) });
  },
  async cancel(id: string): Promise<void> {
    await request(pathOf(id), { method: 'DELETE' });
  },
};

const maxStarts = 3;

async function* startOnce(body: ChatRequestBody, options: StartOptions): AsyncGenerator<ChatResponseBody> {
  const { signal } = options;
  const connection = new AbortController();
  let close = (): void => void setTimeout(() => connection.abort(), idMs);
  signal.addEventListener('abort', () => close(), { once: true });
  const first = await request('/api/chat', { method: 'POST', body, signal: connection.signal });
  close = () => connection.abort();
  if (signal.aborted) close();
  const id = first.headers.get('x-request-id') ?? '';
  options.onStarted(id);
  yield* followAnswer({ first, from: 0, ...connectionsTo(id, options) });
}

function isText({ message }: ChatResponseBody): boolean {
  const { content = '', thinking = '', tool_calls: calls = [] } = message ?? {};
  return content !== '' || thinking !== '' || calls.length > 0;
}

/** Whether the server does not have the request any more. */
export function isForgotten(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'request_not_found';
}

function connectionsTo(
  id: string,
  { signal, onLost, retry }: ReceiveOptions,
): Pick<FollowOptions, 'connect' | 'pause' | 'onLost' | 'signal'> {
  return {
    connect: (from) => request(`${pathOf(id)}/stream?from=${from}`, { signal }),
    pause: (milliseconds) =>
      new Promise((resolve) => {
        setTimeout(resolve, milliseconds);
        void retry().then(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    onLost,
    signal,
  };
}

export interface QueuePlace {
  /** 1: the request is the next one. */
  readonly position: number;
  /** All requests that wait for the same model. */
  readonly length: number;
  /** Whether the model must be loaded first. */
  readonly isLoading: boolean;
}

export async function readPlace(id: string): Promise<QueuePlace | undefined> {
  return findPlace(await requestJson<QueueResponseBody>('/api/queue'), id);
}

/** undefined: the request does not wait. */
export function findPlace({ queues }: QueueResponseBody, id: string): QueuePlace | undefined {
  for (const { waiting } of queues) {
    const index = waiting.findIndex((request) => request.id === id);
    if (index !== -1)
      return { position: index + 1, length: waiting.length, isLoading: waiting[index]?.for === 'model' };
  }
  return undefined;
}
