// Answers that survive their connection: each test name states a rule.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GenerateResponseBody } from '../../src/server/dialects/ollama/generation/generate-schema.ts';
import type { Body } from '../support/client.ts';
import { fetchFrom } from '../support/from-address.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';

type Line = Partial<GenerateResponseBody> & { readonly error?: string; readonly code?: string };

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_NUM_PARALLEL: '1' } });
  await addEndlessModel(server.store, 'endless');
});
afterAll(() => server.stop());

/** Reads the first object of an answer, and disconnects. */
async function beginAndLeave(path: string, body: Body): Promise<{ id: string; text: string }> {
  const leaving = new AbortController();
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: JSON.stringify({ resumable: true, ...body }),
    signal: leaving.signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('\n')) text += Buffer.from((await reader.read()).value ?? []).toString();
  leaving.abort();
  return { id: response.headers.get('x-request-id') ?? '', text };
}

const resume = (id: string, from = 0): Promise<Response> =>
  fetch(`${server.url}/api/requests/${id}/stream?from=${from}`);
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each([
  ['/api/generate', { prompt: 'Count to twenty.' }],
  ['/api/chat', { messages: [{ role: 'user', content: 'Count to twenty.' }] }],
])('%s: an answer goes on without its client, which reads the rest later', async (path, prompt) => {
  const { id, text } = await beginAndLeave(path, { model: 'endless', ...prompt, options: { num_predict: 40 } });
  const received = linesOf(text.slice(0, text.lastIndexOf('\n')));
  const rest = linesOf(await (await resume(id, received.length)).text());
  expect(rest.at(-1)).toMatchObject({ done: true, done_reason: 'length', eval_count: 40 });
  expect(linesOf(await (await resume(id)).text())).toEqual([...received, ...rest]);
});

test('an answer without a client can be canceled, which is the end of its stream', async () => {
  const { id } = await beginAndLeave('/api/generate', {
    model: 'endless',
    prompt: 'Hi',
    options: { num_predict: 100_000 },
  });
  const following = await resume(id);
  const canceled = await fetch(`${server.url}/api/requests/${id}`, { method: 'DELETE' });
  expect(await canceled.json()).toEqual({ status: 'cancelled' });
  expect(linesOf(await following.text()).at(-1)).toEqual({ error: 'request canceled', code: 'cancelled' });
});

test('an answer of another client is not found', async () => {
  const { id } = await beginAndLeave('/api/generate', { model: 'endless', prompt: 'Hi', options: { num_predict: 5 } });
  const otherFetch = fetchFrom('127.0.0.2');
  expect((await otherFetch(`${server.url}/api/requests/${id}/stream`)).status).toBe(404);
  expect((await resume(id)).status).toBe(200);
});

test('the headers come at once, and an error is a line', async () => {
  const response = await fetch(`${server.url}/api/generate`, {
    method: 'POST',
    body: JSON.stringify({ model: 'missing', prompt: 'Hi', resumable: true }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  expect(linesOf(await response.text())).toEqual([expect.objectContaining({ code: 'model_not_found' })]);
});

test('a request that is not valid still gets its status', async () => {
  const body = JSON.stringify({ model: 'ember', prompt: 1, resumable: true });
  expect((await fetch(`${server.url}/api/generate`, { method: 'POST', body })).status).toBe(400);
});
