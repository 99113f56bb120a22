// The real server calls tools of a real MCP server for a real model, and leaves no program behind when it is killed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addCallingModel } from '../support/models/calling-model.ts';
import { isAlive } from '../support/processes.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-mcp-'));
const script = join(import.meta.dirname, '../support/mcp/stdio-server.mjs');
const program = (kind: string) => ({ command: process.execPath, args: [script, kind] });
let server: TestServer;

beforeAll(async () => {
  const path = join(folder, 'mcp.json');
  const mcpServers = { children: program('children'), broken: program('failing-start'), echoes: program('good') };
  writeFileSync(path, JSON.stringify({ mcpServers }));
  server = await startServer({ environment: { HEARTH_MCP_CONFIG: path } });
  await addCallingModel(server.store, 'calling');
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
      { name: 'echoes', state: 'ready' },
    ],
  });
});

interface ChatBody {
  readonly error?: string;
  readonly message: { readonly role: string; readonly content: string };
  readonly mcp_calls?: readonly { readonly id: string; readonly result?: string }[];
  readonly mcp_errors?: readonly object[];
}

async function chat(body: object): Promise<ChatBody> {
  const response = await post('/api/chat', { model: 'calling', stream: false, ...body });
  return (await response.json()) as ChatBody;
}

const asked = { server: 'echoes', require_approval: 'always' };

describe('/api/chat', () => {
  test('a tool runs without an approval unless the request asks for one', async () => {
    const { message, mcp_calls: calls } = await chat({ messages, mcp: ['echoes'] });
    expect(calls).toMatchObject([{ server: 'echoes', tool: 'echo', result: 'echo: cobalt', is_error: false }]);
    expect(message.content).toBe('The tool said cobalt');
  });

  test('a call that needs an approval ends the answer, and runs when the next request approves it', async () => {
    const first = await chat({ messages, mcp: [asked] });
    const call = { server: 'echoes', tool: 'echo', arguments: { text: 'cobalt' }, needs_approval: true };
    expect(first).toMatchObject({ done: true, mcp_calls: [call] });
    expect(first.mcp_calls?.[0]).not.toHaveProperty('result');
    const approved = first.mcp_calls?.map((each) => ({ ...each, approved: true }));
    const next = [...messages, { ...first.message, mcp_calls: approved }];
    const second = await chat({ messages: next, mcp: [asked] });
    expect(second.mcp_calls).toMatchObject([{ id: first.mcp_calls?.[0]?.id, result: 'echo: cobalt' }]);
    expect(second.message.content).toBe('The tool said cobalt');
    const last = [...messages, { ...first.message, mcp_calls: second.mcp_calls }, second.message, ...messages];
    expect(await chat({ messages: last, mcp: [asked] })).toMatchObject({ done: true });
  });

  test('a refused call does not run, and the model goes on', async () => {
    const [call] = (await chat({ messages, mcp: [asked] })).mcp_calls ?? [];
    const refused = { role: 'assistant', content: '', mcp_calls: [{ ...call, approved: false }] };
    const answer = await chat({ messages: [...messages, refused], mcp: [asked] });
    expect(answer).not.toHaveProperty('mcp_calls');
    expect(answer.message.content).toBe('The tool said cobalt');
    const shown = await chat({ messages: [...messages, refused], mcp: [asked], _debug_render_only: true });
    expect(JSON.stringify(shown)).toContain('The user did not allow this call');
  });

  test('an approval of a tool that the request does not offer runs nothing', async () => {
    const call = { id: 'x', server: 'echoes', tool: 'echo', arguments: { text: 'cobalt' }, approved: true };
    const body = { messages: [...messages, { role: 'assistant', content: '', mcp_calls: [call] }] };
    expect(await chat({ ...body, mcp: [{ server: 'echoes', denied_tools: ['echo'] }] })).toMatchObject({
      mcp_calls: [{ is_error: true, result: 'Error: there is no tool "echo"' }],
    });
    expect(await chat(body)).toMatchObject({ error: expect.stringContaining('mcp offers no tools') as string });
  });

  test('permissions can name tools, and only objects of the documented form are read', async () => {
    const never = { server: 'echoes', require_approval: { never: { tool_names: ['echo'] } } };
    expect((await chat({ messages, mcp: [never] })).mcp_calls).toMatchObject([{ result: 'echo: cobalt' }]);
    for (const mcp of ['echoes', [1], [{ server: 1 }], [{ server: 'echoes', require_approval: 1 }]])
      expect(await chat({ messages, mcp })).toMatchObject({ code: 'bad_request' });
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
