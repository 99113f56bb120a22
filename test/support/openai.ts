// Requests in the OpenAI dialect, with nothing between the test and the bytes.

import type {
  ChatCompletionChunkBody,
  ChatCompletionResponseBody,
} from '../../src/server/dialects/openai/chat/chat-schema.ts';
import type { CompletionResponseBody } from '../../src/server/dialects/openai/completions/completions-schema.ts';
import type { ResponseEvent } from '../../src/server/dialects/openai/responses/response/events-schema.ts';
import type { ResponseBody } from '../../src/server/dialects/openai/responses/response/response-schema.ts';
import type { OpenAiErrorResponseBody } from '../../src/server/dialects/shared/openai-error-schema.ts';
import type { Body } from './client.ts';

export interface OpenAiReply<Response> {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly body: Response & Partial<OpenAiErrorResponseBody>;
}

async function post<Response>(url: string, path: string, body: Body | string): Promise<OpenAiReply<Response>> {
  const response = await fetch(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, type, text, body: type?.includes('json') ? JSON.parse(text) : undefined };
}

export const postChat = (url: string, body: Body | string) =>
  post<ChatCompletionResponseBody>(
    url,
    '/v1/chat/completions',
    typeof body === 'string' ? body : { model: 'ember', ...body },
  );

export const postCompletion = (url: string, body: Body) =>
  post<CompletionResponseBody>(url, '/v1/completions', { model: 'ember', ...body });

export const postResponse = (url: string, body: Body) =>
  post<ResponseBody>(url, '/v1/responses', { model: 'ember', ...body });

/** The events of a streamed response. Each must have its type as its name. */
export function responseEventsOf(text: string): ResponseEvent[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, name, data] = /^event: ([\w.]+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = JSON.parse(data ?? 'null');
      if (event?.type !== name) throw new Error(`not an event with its name: ${frame}`);
      return event;
    });
}

export interface EmbeddingList {
  readonly object: string;
  readonly model: string;
  readonly data: readonly { readonly object: string; readonly index: number; readonly embedding: number[] | string }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

export const postEmbedding = (url: string, body: Body) =>
  post<EmbeddingList>(url, '/v1/embeddings', { model: 'ember', ...body });

/** The objects of a stream, and whether it came to its end. */
export function eventsOf<Chunk = ChatCompletionChunkBody>(text: string): { objects: Chunk[]; ended: boolean } {
  const events = text.split('\n\n').filter((event) => event !== '');
  const datas = events.map((event) => event.replace(/^data: /, ''));
  const ended = datas.at(-1) === '[DONE]';
  return { objects: datas.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data)), ended };
}
