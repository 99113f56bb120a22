// Tools of MCP servers through the SDK of Anthropic: a real server runs them for a real model with set weights.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMcpHttpServer } from '../support/mcp/http-server.ts';
import { addCallingModel } from '../support/models/calling-model.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-clients-mcp-'));
let server: TestServer;
let web: Awaited<ReturnType<typeof startMcpHttpServer>>;
let anthropic: Anthropic;
beforeAll(async () => {
  web = await startMcpHttpServer('good');
  const path = join(folder, 'mcp.json');
  const script = join(import.meta.dirname, '../support/mcp/stdio-server.mjs');
  const program = (kind: string) => ({ command: process.execPath, args: [script, kind] });
  const mcpServers = { echoes: { url: web.url }, failing: program('failing'), broken: program('failing-start') };
  writeFileSync(path, JSON.stringify({ mcpServers }));
  server = await startServer({ environment: { HEARTH_MCP_CONFIG: path, HEARTH_MCP_CALLS: '1' } });
  await addCallingModel(server.store, 'calling');
  anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(async () => {
  await server.stop();
  await web.close();
  rmSync(folder, { recursive: true, force: true });
});

const user = (content: string) => ({ role: 'user' as const, content });
const request = {
  model: 'calling',
  max_tokens: 200,
  betas: ['mcp-client-2025-11-20'],
  messages: [user('Use the tool.')],
};
const named = (name: string, url = '') => [{ type: 'url' as const, name, url }];
const listed = { mcp_servers: named('echoes'), tools: [{ type: 'mcp_toolset' as const, mcp_server_name: 'echoes' }] };
const expected = [
  { type: 'mcp_tool_use', name: 'echo', server_name: 'echoes', input: { text: 'cobalt' } },
  { type: 'mcp_tool_result', is_error: false, content: [{ type: 'text', text: 'echo: cobalt' }] },
  { type: 'text', text: 'The tool said cobalt' },
];

test('the server calls the tool, and the answer has the call, its result and the text', async () => {
  const answer = await anthropic.beta.messages.create({ ...request, ...listed });
  expect(answer).toMatchObject({ stop_reason: 'end_turn', content: expected });
  const [call, result] = answer.content;
  expect(call).toMatchObject({ id: expect.stringMatching(/^mcptoolu_/) as string });
  expect(result).toMatchObject({ tool_use_id: (call as { id: string }).id });
  const old = { ...request, betas: ['mcp-client-2025-04-04'], mcp_servers: named('echoes') };
  expect((await anthropic.beta.messages.create(old)).content).toMatchObject(expected);
});

test('a stream has the same blocks, and the conversation goes on with them', async () => {
  const stream = anthropic.beta.messages.stream({ ...request, ...listed });
  const types: string[] = [];
  for await (const event of stream) if (event.type === 'content_block_start') types.push(event.content_block.type);
  expect(types).toEqual(['mcp_tool_use', 'mcp_tool_result', 'text']);
  const answer = await stream.finalMessage();
  expect(answer.content).toMatchObject(expected);
  const messages = [...request.messages, { role: 'assistant' as const, content: answer.content }, user('Again?')];
  const next = await anthropic.beta.messages.create({ ...request, ...listed, messages } as never);
  expect((next as Anthropic.Beta.BetaMessage).content.at(-1)).toMatchObject({ text: 'The tool said cobalt' });
});

test('a tool that fails is a result for the model', async () => {
  const { content } = await anthropic.beta.messages.create({ ...request, mcp_servers: named('failing') });
  expect(content[1]).toMatchObject({
    is_error: true,
    content: [{ text: expect.stringContaining('no such city') as string }],
  });
});

test('a tool that is off is not called', async () => {
  const tools = [{ ...listed.tools[0], configs: { echo: { enabled: false } } }];
  const answer = (await anthropic.beta.messages.create({ ...request, ...listed, tools } as never)) as Anthropic.Message;
  expect(answer.content.map(({ type }) => type)).toEqual(['text']);
});

test('an unknown server, one that fails and an address are refused with the errors of the API', async () => {
  const refused = (servers: ReturnType<typeof named>) =>
    expect(anthropic.beta.messages.create({ ...request, mcp_servers: servers })).rejects;
  await refused(named('other')).toThrow(Anthropic.NotFoundError);
  await refused(named('broken')).toMatchObject({ status: 502 });
  await refused(named('web', 'https://mcp.example/')).toThrow(Anthropic.PermissionDeniedError);
});
