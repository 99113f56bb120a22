// The real server calls tools of a real MCP server for a real model, and leaves no program behind when it is killed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-mcp-'));
const script = join(import.meta.dirname, '../support/mcp/stdio-server.mjs');
const program = (kind: string) => ({ command: process.execPath, args: [script, kind] });
let server: TestServer;

beforeAll(async () => {
  const path = join(folder, 'mcp.json');
  const mcpServers = { children: program('children'), broken: program('failing-start') };
  writeFileSync(path, JSON.stringify({ mcpServers }));
  server = await startServer({ environment: { HEARTH_MCP_CONFIG: path } });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function post(path: string, body: object): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: JSON.stringify({ model: 'ember', ...body }) });
}

const messages = [{ role: 'user', content: 'Call the tool echo with the text "hi".' }];

test('the list has servers, tools, states and errors', async () => {
  const response = await fetch(`${server.url}/api/mcp`);
  expect(await response.json()).toMatchObject({
    servers: [
      { name: 'children', transport: 'stdio', state: 'ready', tools: [{ name: 'echo', read_only: true }] },
      { name: 'broken', state: 'failed', error: expect.stringContaining('a library is missing'), tools: [] },
    ],
  });
});

test('a response with tools of a server that is killed leaves none of its programs', async () => {
  const body = {
    input: 'Call the tool echo.',
    tool_choice: 'required',
    max_output_tokens: 60,
    temperature: 0,
    tools: [{ type: 'mcp', server_label: 'children', require_approval: 'never' }],
    max_tool_calls: 1,
  };
  const { output } = (await (await post('/v1/responses', body)).json()) as {
    output: { type: string; output?: string; status?: string }[];
  };
  const call = output.find(({ type }) => type === 'mcp_call');
  expect(call).toMatchObject({ status: 'completed' });
  const pids = (call?.output ?? '').split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  server.signal('SIGKILL');
  await server.exit;
  await vi.waitFor(() => expect(pids.some(isAlive)).toBe(false), 10_000);
});

test('an unknown server is refused, and one that fails is left out of all', async () => {
  server = await startServer({ environment: { HEARTH_MCP_CONFIG: join(folder, 'mcp.json') } });
  const unknown = await post('/api/chat', { messages, mcp: ['other'], stream: false });
  expect([unknown.status, await unknown.json()]).toMatchObject([
    404,
    { error: expect.stringContaining('no MCP server "other"') as string },
  ]);
  const answer = await post('/api/chat', { messages, mcp: true, stream: false, options: { num_predict: 20 } });
  expect(await answer.json()).toMatchObject({ done: true, mcp_errors: [{ server: 'broken' }] });
});
