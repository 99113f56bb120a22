// Traces by OTLP, with real servers and a collector: each test name states a rule.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { type ReceivedSpan, startTraceReceiver } from '../support/trace-receiver.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const secret = 'The password is swordfish.';
const messages = [{ role: 'user', content: secret }];
const options = { temperature: 0, num_predict: 8 };

const folder = mkdtempSync(join(tmpdir(), 'hearth-traces-'));
let receiver: Awaited<ReturnType<typeof startTraceReceiver>>;
let far: TestServer;
let near: TestServer;

beforeAll(async () => {
  receiver = await startTraceReceiver();
  const mcpConfig = join(folder, 'mcp.json');
  const script = join(import.meta.dirname, '../support/mcp/stdio-server.mjs');
  writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [script] } } }));
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`, OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue' };
  far = await startServer({ environment: { ...common, OTEL_SERVICE_NAME: 'far' } });
  near = await startServer({ environment: { ...common, HEARTH_MCP_CONFIG: mcpConfig } });
  expect((await post(near, '/api/remotes', { name: 'far', urls: [far.url] })).status).toBe(200);
  expect(
    (await post(near, '/api/create', { model: 'distant', from: 'remote://far/ember', stream: false })).status,
  ).toBe(200);
});
afterAll(async () => {
  await Promise.all([near.stop(), far.stop()]);
  receiver.close();
  rmSync(folder, { recursive: true });
});

async function post(server: TestServer, path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), headers });
  await response.text();
  return response;
}

const chat = (server: TestServer, body: object, headers: Record<string, string> = {}) =>
  post(server, '/api/chat', { model: 'ember', messages, options, ...body }, headers);

/** The spans of the request with this id and those below it, when the collector has them. */
async function spansOf(response: Response): Promise<readonly ReceivedSpan[]> {
  const id = response.headers.get('x-request-id');
  const rootOf = () => receiver.spans.find(({ attributes }) => attributes['hearth.request.id'] === id);
  await expect.poll(rootOf, { timeout: 20_000 }).toBeDefined();
  const root = rootOf() as ReceivedSpan;
  const below = (span: ReceivedSpan): ReceivedSpan[] => [
    span,
    ...receiver.spans.filter((other) => other.parentId === span.spanId).flatMap(below),
  ];
  return below(root);
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span "${name}" in ${spans.map((span) => span.name).join(', ')}`);
  return found;
};
const lengthOf = ({ from, until }: ReceivedSpan): number => Number(until - from);

test('a request has spans for itself, its answer and the parts of the answer, which fill it', async () => {
  await chat(near, { keep_alive: 0 });
  const response = await chat(near, { stream: false, options: { ...options, num_predict: 2 } });
  const spans = await spansOf(response);
  const root = named(spans, 'POST /api/chat');
  const answer = named(spans, 'chat ember');
  expect(root).toMatchObject({ kind: 2, parentId: '', status: 0, resource: { 'service.name': 'hearth' } });
  expect(root.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
  expect(answer).toMatchObject({ kind: 1, parentId: root.spanId });
  expect(answer.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'hearth',
    'gen_ai.request.model': 'ember',
    'gen_ai.response.model': 'ember:latest',
    'gen_ai.usage.output_tokens': 2,
    'gen_ai.response.finish_reasons': ['length'],
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
  });
  expect(answer.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(8);
  const parts = spans.filter((span) => span.parentId === answer.spanId);
  expect([...new Set(parts.map(({ name }) => name))].sort()).toEqual(['generation', 'load', 'prompt', 'queue']);
  expect(parts.reduce((sum, part) => sum + lengthOf(part), 0)).toBe(lengthOf(answer));
  expect(root.from <= answer.from && answer.until <= root.until).toBe(true);
  expect(receiver.requests.at(-1)).toMatchObject({ path: '/v1/traces', headers: { 'x-team': 'blue' } });
});

test('a sampled traceparent is the parent; one that is not sampled is not exported', async () => {
  const skipped = await chat(near, {}, { traceparent: `00-${traceId}-${parentId}-00` });
  const response = await chat(near, {}, { traceparent: `00-${traceId}-${parentId}-01` });
  const spans = await spansOf(response);
  expect(named(spans, 'POST /api/chat')).toMatchObject({ traceId, parentId });
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const ids = receiver.spans.map(({ attributes }) => attributes['hearth.request.id']);
  expect(ids).not.toContain(skipped.headers.get('x-request-id'));
});

test('a request to a remote is a span, and the remote goes on with the trace there', async () => {
  const response = await chat(near, { model: 'distant' }, { traceparent: `00-${traceId}-${parentId}-01` });
  await expect.poll(async () => (await spansOf(response)).length, { timeout: 20_000 }).toBeGreaterThan(6);
  const spans = await spansOf(response);
  const call = spans.find(({ kind }) => kind === 3) as ReceivedSpan;
  expect(call).toMatchObject({ name: 'chat ember', parentId: named(spans, 'POST /api/chat').spanId });
  expect(call.attributes).toMatchObject({
    'hearth.remote': 'far',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(far.url).port),
  });
  const there = spans.find((span) => span.parentId === call.spanId) as ReceivedSpan;
  expect(there).toMatchObject({ name: 'POST /api/chat', resource: { 'service.name': 'far' }, traceId });
});

test('a call of a tool is a span without its values', async () => {
  const response = await post(near, '/v1/responses', {
    model: 'ember',
    input: 'Call the tool echo.',
    tool_choice: 'required',
    max_output_tokens: 60,
    temperature: 0,
    tools: [{ type: 'mcp', server_label: 'local', require_approval: 'never' }],
    max_tool_calls: 1,
  });
  const call = named(await spansOf(response), 'execute_tool echo');
  expect(call.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'echo',
    'gen_ai.tool.call.id': expect.any(String),
    'gen_ai.tool.type': 'function',
    'hearth.tool.server': 'local',
  });
});

test('what fails has its code; a mistake of the caller is no error of the server', async () => {
  const missing = named(await spansOf(await chat(near, { model: 'missing' })), 'POST /api/chat');
  expect([missing.status, missing.attributes['error.type']]).toEqual([0, 'model_not_found']);
  await post(near, '/api/remotes', { name: 'nobody', urls: ['http://127.0.0.1:9'] });
  await post(near, '/api/create', { model: 'nowhere', from: 'remote://nobody/x', stream: false });
  const failed = await spansOf(await chat(near, { model: 'nowhere' }));
  expect(named(failed, 'POST /api/chat')).toMatchObject({ status: 2, attributes: { 'error.type': 'remote_failed' } });
  expect(failed.find(({ kind }) => kind === 3)).toMatchObject({ status: 2, attributes: { 'error.type': 'failed' } });
});

test('embeddings have a span', async () => {
  const spans = await spansOf(await post(near, '/api/embed', { model: 'ember', input: secret }));
  expect(named(spans, 'embeddings ember').attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(1);
});

test('texts are exported only if a setting says so', async () => {
  expect(JSON.stringify(receiver.spans, replaceBigInts)).not.toContain('swordfish');
  const other = await startTraceReceiver();
  const server = await startServer({ environment: { HEARTH_TELEMETRY: other.url, HEARTH_TELEMETRY_CONTENT: 'true' } });
  await chat(server, {});
  // A server that stops sends what it has.
  await server.stop();
  other.close();
  const [root] = other.spans.filter(({ name }) => name === 'POST /api/chat');
  const [message] = JSON.parse(String(root?.attributes['gen_ai.input.messages']));
  expect(message).toMatchObject({ role: 'user', parts: [{ type: 'text', content: expect.stringContaining(secret) }] });
  expect(root?.attributes['gen_ai.output.messages']).toContain('assistant');
  expect(server.log()).toContain('exported traces have the texts of prompts and answers');
});

test('a share of 0 exports only the traces of callers', async () => {
  const other = await startTraceReceiver();
  const server = await startServer({ environment: { HEARTH_TELEMETRY: other.url, HEARTH_TELEMETRY_SHARE: '0' } });
  for (let turn = 0; turn < 4; turn++) await chat(server, {});
  await chat(server, {}, { traceparent: `00-${traceId}-${parentId}-01` });
  await server.stop();
  other.close();
  expect(new Set(other.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
});

test('a collector that hangs or is not there delays neither requests nor the end of the server', async () => {
  const hanging = await startTraceReceiver({ hangs: true });
  for (const address of [hanging.url, 'http://127.0.0.1:9']) {
    const server = await startServer({ environment: { HEARTH_TELEMETRY: address } });
    for (let turn = 0; turn < 3; turn++) expect((await chat(server, {})).status).toBe(200);
    server.signal('SIGTERM');
    expect(await server.exit).toBe(0);
    await server.stop();
  }
  expect(hanging.requests.length).toBeGreaterThan(0);
  hanging.close();
});

test('without the packages of OpenTelemetry, the server works and says what is missing', async () => {
  const hide = join(folder, 'hide.cjs');
  writeFileSync(
    hide,
    `const { Module } = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...more) => resolve(name.replace('@opentelemetry/', '@missing/'), ...more);`,
  );
  const environment = { HEARTH_TELEMETRY: receiver.url, NODE_OPTIONS: `--require=${hide}` };
  const server = await startServer({ environment });
  expect((await chat(server, {})).status).toBe(200);
  await server.stop();
  expect(server.log()).toContain('traces cannot be exported: the packages of OpenTelemetry are missing');
});

const replaceBigInts = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
