// POST /mcp with a real model and the SDK's client: each test name states a rule.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageResponseBody } from '../../src/features/usage/usage-schema.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  await addEndlessModel(server.store, 'endless');
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const read = async <Body>(path: string): Promise<Body> => (await (await fetch(server.url + path)).json()) as Body;

test('a call answers like the route, and its tokens are counted', async () => {
  const options = { temperature: 0, num_predict: 8 };
  const messages = [{ role: 'user', content: 'Count to five.' }];
  const body = JSON.stringify({ model: 'ember', messages, options, stream: false });
  const direct = (await (await fetch(`${server.url}/api/chat`, { method: 'POST', body })).json()) as {
    readonly message: { readonly content: string };
    readonly eval_count: number;
  };
  const progress: number[] = [];
  const { structuredContent } = await client.callTool(
    { name: 'chat', arguments: { model: 'ember', prompt: 'Count to five.', options } },
    { onprogress: ({ progress: each }) => void progress.push(each) },
  );
  expect(structuredContent).toMatchObject({
    content: direct.message.content,
    answer_tokens: direct.eval_count,
    done_reason: 'length',
  });
  expect(progress[0]).toBe(1);
  await client.callTool({ name: 'embed', arguments: { model: 'ember', input: ['sky'] } });
  await expect
    .poll(async () =>
      (await read<UsageResponseBody>('/api/usage')).groups.map(({ name, requests }) => [name, requests]),
    )
    .toEqual([['ember:latest', 3]]);
});

test('a canceled call frees its slot', async () => {
  const controller = new AbortController();
  const call = client.callTool(
    { name: 'chat', arguments: { model: 'endless', prompt: 'Hi', options: { num_predict: -1 } } },
    { signal: controller.signal, onprogress: () => controller.abort() },
  );
  await expect(call).rejects.toThrow();
  await expect.poll(async () => (await read<{ requests: unknown[] }>('/api/activity')).requests).toEqual([]);
});

test('models are listed with what they can do', async () => {
  const { structuredContent } = await client.callTool({ name: 'list_models' });
  expect(structuredContent).toMatchObject({
    models: expect.arrayContaining([expect.objectContaining({ name: 'ember:latest', parameters: '41.96M' })]),
  });
});

test('a collection is listed and searched', async () => {
  const post = async <Body>(path: string, body: string): Promise<Body> =>
    (await (await fetch(server.url + path, { method: 'POST', body })).json()) as Body;
  const { id } = await post<{ id: string }>('/api/collections', '{"name": "Harbor"}');
  await post(`/api/collections/${id}/files?name=ferries.md`, 'Boats leave at seven.');
  const listed = await client.callTool({ name: 'list_collections' });
  expect(listed.structuredContent).toEqual({ collections: [{ id, name: 'Harbor', files: 1 }] });
  const search = (collection: string) =>
    client.callTool({ name: 'search_collection', arguments: { collection, query: 'When do boats leave?', limit: 1 } });
  expect((await search(id)).structuredContent).toEqual({
    passages: [{ text: 'Boats leave at seven.', file: 'ferries.md', score: 1 }],
  });
  expect(await search('../models')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('collection_not_found') as string }],
  });
});
