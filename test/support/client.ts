// Requests to a server under test with plain fetch.

import type { ChatResponseBody } from '../../src/server/dialects/ollama/generation/chat-schema.ts';
import type { GenerateResponseBody } from '../../src/server/dialects/ollama/generation/generate-schema.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface Reply<Response = GenerateResponseBody> {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
  /** The lines of a stream, or the single object. */
  readonly objects: (Response & { error?: string })[];
}

export async function post<Response = GenerateResponseBody>(
  url: string,
  path: string,
  body: Body | string,
  { fetchWith = fetch, ...init }: RequestInit & { readonly fetchWith?: typeof fetch } = {},
): Promise<Reply<Response>> {
  const response = await fetchWith(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
  const text = await response.text();
  const objects = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    text,
    objects,
  };
}

/** A generate request that must succeed, as one object. */
export async function generate(url: string, body: Body, init: RequestInit = {}): Promise<GenerateResponseBody> {
  const { status, objects, text } = await post(url, '/api/generate', { model: 'ember', stream: false, ...body }, init);
  if (status !== 200 || objects[0] === undefined) throw new Error(`${status}: ${text}`);
  return objects[0];
}

/** Starts a streamed answer and waits for its first chunk. The result reads the rest. */
export async function beginAnswer(url: string, body: Body): Promise<() => Promise<GenerateResponseBody[]>> {
  const response = await fetch(`${url}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({ model: 'ember', ...body }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = Buffer.from((await reader.read()).value ?? []).toString();
  return async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += Buffer.from(part.value);
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
}

/** A chat request to Ember, with any result. */
export function postChat(url: string, body: Body, init: RequestInit = {}): Promise<Reply<ChatResponseBody>> {
  return post<ChatResponseBody>(url, '/api/chat', { model: 'ember', ...body }, init);
}

/** A chat request that must succeed, as one object. */
export async function chat(url: string, body: Body, init: RequestInit = {}): Promise<ChatResponseBody> {
  const { status, objects, text } = await postChat(url, { stream: false, ...body }, init);
  if (status !== 200 || objects[0] === undefined) throw new Error(`${status}: ${text}`);
  return objects[0];
}

/** Only the text of an answer. */
export async function ask(url: string, prompt: string, options: Body = {}): Promise<string> {
  return (await generate(url, { prompt, options })).response;
}

/** Ember's prompt format, for raw mode. */
export const chatml = (question: string): string => `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
