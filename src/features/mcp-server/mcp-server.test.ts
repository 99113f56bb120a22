// The routes with the SDK's own client over real connections; the requests that tools send are answered here.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import type { CallerKey } from '../../base/request/caller-key.ts';
import { systemClock } from '../../base/time/clock.ts';
import { dialectTable } from '../../server/compose/dialect-table.ts';
import type { InternalRequests } from '../../server/http/internal-requests.ts';
import { RequestTable } from '../../server/http/requests.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { createMcpServers } from './create-mcp-server.ts';
import { mcpRoutes } from './mcp-routes.ts';
import { McpSessions } from './mcp-sessions.ts';

type Stream = InternalRequests['stream'];
type Sent = Parameters<Stream>[0];

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const chatLines = [
  { model: 'ember', message: { role: 'assistant', content: '', thinking: 'Hm' }, done: false },
  { model: 'ember', message: { role: 'assistant', content: 'Hel' }, done: false },
  { model: 'ember', message: { role: 'assistant', content: 'lo' }, done: false },
  { model: 'ember', message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 },
];

const answer =
  (...objects: readonly object[]): Stream =>
  async (_input, onLine) => {
    for (const object of objects) onLine(JSON.stringify(object));
    return 200;
  };

/** Never answers. Rejects when the request is canceled. */
const wait: Stream = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('canceled'))));

const keyOf = (id: string): CallerKey => ({ id, name: id, scope: 'infer', group: id, models: [], weight: 1 });

async function setUp(stream: Stream = answer(...chatLines), limits?: { perClient: number; total: number }) {
  const sent: Sent[] = [];
  const requests: Pick<InternalRequests, 'stream'> = {
    stream(input, onLine) {
      sent.push(input);
      return stream(input, onLine);
    },
  };
  const parts = { clock: systemClock, logger: silentLogger };
  const sessions = new McpSessions(createMcpServers({ ...parts, version: '1.2.3', requests }), limits);
  const app = createHttpServer({
    ...parts,
    routes: mcpRoutes(async () => sessions),
    dialects: dialectTable,
    requests: new RequestTable({
      ...parts,
      identify: ({ 'x-key': key }) => (key === undefined ? undefined : keyOf(String(key))),
    }),
    maxBodyBytes: 2 ** 20,
    isAllowedOrigin: () => true,
  });
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`;
  closers.push(
    () => app.close(),
    () => sessions.close(),
  );
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    closers.push(() => client.close());
    return client;
  };
  const send = async (body: object | string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  /** The id of a new session. */
  const initialize = async (headers: Record<string, string> = {}): Promise<string> => {
    const response = await send(initializeMessage, headers);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  return { url, sent, sessions, connect, send, initialize };
}

const initializeMessage = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const callChat = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'chat', arguments: { model: 'ember', prompt: 'hi' } },
};

test('a client finds the tools with their schemas', async () => {
  const client = await (await setUp()).connect();
  expect(client.getServerVersion()).toMatchObject({ name: 'hearth', version: '1.2.3' });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['chat', 'embed', 'list_models', 'list_collections', 'search_collection'],
  ]);
  expect(tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['model'], additionalProperties: false });
});

test('chat sends a conversation to /api/chat on behalf of the caller, and returns the answer', async () => {
  const { connect, sent } = await setUp();
  const client = await connect();
  const given = { model: 'ember', prompt: 'Hi', system: 'Be short.', options: { num_predict: 9 } };
  const { content, structuredContent } = await client.callTool({ name: 'chat', arguments: given });
  expect(content).toEqual([{ type: 'text', text: 'Hello' }]);
  expect(structuredContent).toEqual({
    model: 'ember',
    content: 'Hello',
    thinking: 'Hm',
    done_reason: 'stop',
    prompt_tokens: 7,
    answer_tokens: 3,
  });
  expect(sent.map(({ path, sender }) => [path, sender])).toEqual([['/api/chat', { client: '127.0.0.1' }]]);
  expect(JSON.parse(String(sent[0]?.body))).toEqual({
    model: 'ember',
    options: { num_predict: 9 },
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hi' },
    ],
    stream: true,
  });
});

test('embed and list_models return what the routes do', async () => {
  const tags = { models: [{ name: 'ember', size: 5, details: { parameter_size: '42M' }, capabilities: ['tools'] }] };
  const client = await (
    await setUp(({ path }, onLine) =>
      answer(path === '/api/tags' ? tags : { model: 'ember', embeddings: [[1, 2]], prompt_eval_count: 1 })(
        {} as Sent,
        onLine,
      ),
    )
  ).connect();
  expect(await client.callTool({ name: 'list_models' })).toMatchObject({
    structuredContent: { models: [{ name: 'ember', size: 5, parameters: '42M', capabilities: ['tools'] }] },
  });
  const { content, structuredContent } = await client.callTool({
    name: 'embed',
    arguments: { model: 'ember', input: ['a'] },
  });
  expect(structuredContent).toEqual({ model: 'ember', embeddings: [[1, 2]], prompt_tokens: 1 });
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
});

test('a client that asks for progress gets the text so far', async () => {
  const client = await (await setUp()).connect();
  const progress: unknown[] = [];
  const given = { model: 'ember', prompt: 'hi', options: { num_predict: 9 } };
  await client.callTool({ name: 'chat', arguments: given }, { onprogress: (each) => void progress.push(each) });
  expect(progress[0]).toEqual({ progress: 1, total: 9, message: 'Hm' });
});

test('what fails is a result that a model can read', async () => {
  const client = await (await setUp(answer({ error: 'model not found', code: 'model_not_found' }))).connect();
  const rows: [more: object, text: string][] = [
    [{}, 'model not found (model_not_found)'],
    [{ messages: [] }, 'give either prompt or messages (bad_request)'],
    [{ think: 1 }, 'think must be boolean (bad_request)'],
    [{ color: 1 }, 'the request must NOT have additional properties (bad_request)'],
  ];
  for (const [more, text] of rows)
    expect(await client.callTool({ name: 'chat', arguments: { model: 'x', prompt: 'hi', ...more } })).toEqual({
      isError: true,
      content: [{ type: 'text', text }],
    });
});

test('an unknown tool is an error of the protocol', async () => {
  const client = await (await setUp()).connect();
  await expect(client.callTool({ name: 'rm' })).rejects.toMatchObject({ code: -32_602 });
});

test('a notification cancels a call, and its stream ends without a response', async () => {
  const { send, sent, initialize } = await setUp(wait);
  const session = { 'mcp-session-id': await initialize() };
  const response = await send(callChat, session);
  await expect.poll(() => sent.length).toBe(1);
  // The same id in another session is another request.
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  await send(cancel, { 'mcp-session-id': await initialize() });
  expect(sent[0]?.signal.aborted).toBe(false);
  expect((await send(cancel, session)).status).toBe(202);
  expect(await response.text()).toBe('');
  expect(sent[0]?.signal.aborted).toBe(true);
});

test('a client that disconnects cancels its call', async () => {
  const { url, sent, initialize } = await setUp(wait);
  const headers = { 'mcp-session-id': await initialize() };
  const controller = new AbortController();
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(callChat), signal: controller.signal });
  await expect.poll(() => sent.length).toBe(1);
  controller.abort();
  await expect.poll(() => sent[0]?.signal.aborted).toBe(true);
});

test('the end of a session cancels its calls', async () => {
  const { url, send, sent, sessions, initialize } = await setUp(wait);
  const headers = { 'mcp-session-id': await initialize() };
  const response = await send(callChat, headers);
  await expect.poll(() => sent.length).toBe(1);
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
  expect([sent[0]?.signal.aborted, sessions.count, await response.text()]).toEqual([true, 0, '']);
  expect((await send(ping, headers)).status).toBe(404);
});

test('there is no stream for other messages', async () => {
  const { url, initialize } = await setUp();
  const headers = { 'mcp-session-id': await initialize(), accept: 'text/event-stream' };
  const response = await fetch(url, { headers });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
});

test('a new session closes the one that its client has not used for the longest time, and none that works', async () => {
  const { send, sent, sessions, initialize } = await setUp(wait, { perClient: 3, total: 100 });
  const [first, second, third] = [await initialize(), await initialize(), await initialize()];
  await send(callChat, { 'mcp-session-id': second });
  await expect.poll(() => sent.length).toBe(1);
  await send(ping, { 'mcp-session-id': first });
  const fourth = await initialize();
  const statuses = [first, second, third, fourth].map(
    async (id) => (await send({ ...ping, id: 2 }, { 'mcp-session-id': id })).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 404, 200]);
  expect(sessions.count).toBe(3);
});

test('sessions that all work leave no room for another one', async () => {
  const { send, sent, initialize } = await setUp(wait, { perClient: 1, total: 100 });
  await send(callChat, { 'mcp-session-id': await initialize() });
  await expect.poll(() => sent.length).toBe(1);
  expect((await send(initializeMessage)).status).toBe(503);
});

test('only the key that has opened a session can use it', async () => {
  const { send, initialize } = await setUp();
  const id = await initialize({ 'x-key': 'anna' });
  const statusFor = async (headers: Record<string, string>): Promise<number> =>
    (await send(ping, { ...headers, 'mcp-session-id': id })).status;
  expect([await statusFor({ 'x-key': 'bert' }), await statusFor({}), await statusFor({ 'x-key': 'anna' })]).toEqual([
    404, 404, 200,
  ]);
});

test('what is wrong with a request has a status and an error in the form of the protocol', async () => {
  const { send, sessions } = await setUp();
  const rows: [body: object | string, headers: Record<string, string>, status: number, code: number][] = [
    ['{', {}, 400, -32_700],
    [[ping], {}, 400, -32_600],
    [{ id: 1 }, {}, 400, -32_600],
    [ping, {}, 400, -32_600],
    [ping, { 'mcp-session-id': 'x' }, 404, -32_001],
    [initializeMessage, { accept: 'text/html' }, 406, -32_000],
    [{ ...ping, params: { arguments: 'x'.repeat(2 ** 20) } }, {}, 413, -32_000],
  ];
  for (const [body, headers, status, code] of rows) {
    const response = await send(body, headers);
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ jsonrpc: '2.0', id: null, error: expect.objectContaining({ code }) }),
    ]);
  }
  expect(sessions.count).toBe(0);
});
