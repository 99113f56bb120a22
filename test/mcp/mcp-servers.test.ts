// MCP servers as real programs and real HTTP servers, most of them hostile.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/time/clock.ts';
import { ProcessGroups } from '../../src/features/mcp/connect/process-groups.ts';
import { mcpLimits } from '../../src/features/mcp/limits.ts';
import { McpServers } from '../../src/features/mcp/servers/mcp-servers.ts';
import { startMcpHttpServer } from '../support/mcp/http-server.ts';
import { isAlive } from '../support/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-mcp-'));
afterAll(() => rmSync(folder, { recursive: true }));
const never = new AbortController().signal;
const script = join(import.meta.dirname, '../support/mcp/stdio-server.mjs');
const program = (kind: string, env = {}) => ({ command: process.execPath, args: [script, kind], env });

const opened: McpServers[] = [];
const https: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all([...opened.splice(0), ...https.splice(0)].map((each) => each.close()));
});

let files = 0;
function serversOf(mcpServers: object, { callTimeoutMs = 20_000, allowsUrls = false } = {}) {
  files += 1;
  const path = join(folder, `${files}.json`);
  const write = (entries: object): void => writeFileSync(path, JSON.stringify({ mcpServers: entries }));
  write(mcpServers);
  const servers = new McpServers({
    path,
    maxCalls: 8,
    allowsUrls,
    callTimeoutMs,
    environment: { PATH: '/usr/bin:/bin', HOME: '/home/tools' },
    groups: new ProcessGroups(),
    tls: { ca: '', ownCa: '', nodeCa: '', cert: '', key: '' },
    version: '1',
    clock: systemClock,
    logger: silentLogger,
  });
  opened.push(servers);
  return Object.assign(servers, { write });
}

async function serverOver(kind: Parameters<typeof startMcpHttpServer>[0]) {
  const server = await startMcpHttpServer(kind);
  https.push(server);
  return server;
}

const callOf = (servers: McpServers, name: string, values = {}) => servers.find(name).call('echo', values, never);

test('a program lists its tools and answers calls', async () => {
  const servers = serversOf({ good: program('good') });
  expect(await servers.find('good').listTools(never)).toEqual([
    { name: 'echo', description: 'Returns the text.', parameters: expect.anything(), isReadOnly: true },
  ]);
  expect(await callOf(servers, 'good', { text: 'hi' })).toEqual({ text: 'echo: hi', isError: false });
  expect(servers.find('good').describe()).toMatchObject({ state: 'ready', leftOut: 0 });
});

test('an HTTP server lists its tools and gets the headers of its entry', async () => {
  const { url, seen } = await serverOver('good');
  const servers = serversOf({ web: { url, headers: { authorization: 'Bearer secret' } } });
  expect(await servers.find('web').listTools(never)).toMatchObject([{ name: 'echo' }]);
  expect(await callOf(servers, 'web', { text: 'hi' })).toEqual({ text: 'echo: hi', isError: false });
  expect(seen.filter(({ method }) => method === 'tools/call')).toEqual([
    { method: 'tools/call', authorization: 'Bearer secret' },
  ]);
});

test('a program gets the variables of its entry, and none of this process but a few', async () => {
  const servers = serversOf({ environment: program('environment', { TOKEN: 'own' }) });
  const { text } = await callOf(servers, 'environment');
  const names = Object.keys(JSON.parse(text) as object).filter((name) => !name.startsWith('__CF'));
  expect(names.sort()).toEqual(['HOME', 'PATH', 'TOKEN']);
});

test('a result that is too long is cut, and says so', async () => {
  const { text } = await callOf(serversOf({ huge: program('huge-result') }), 'huge');
  expect(text.length).toBeLessThan(mcpLimits.resultLength + 100);
  expect(text).toMatch(/\[\d+ more characters were left out\]$/);
});

test('tools beyond the limits of number and size are left out', async () => {
  const servers = serversOf({ many: program('thousand-tools'), large: program('large-tools') });
  await servers.describe(20_000);
  expect(servers.find('many').describe()).toMatchObject({ leftOut: 1000 - mcpLimits.tools });
  expect(servers.find('many').describe().tools).toHaveLength(mcpLimits.tools);
  const { tools, leftOut } = servers.find('large').describe();
  expect(tools.map(({ name, description }) => [name, description.length])).toEqual([['echo', 4096]]);
  expect(leftOut).toBe(1);
});

test.each([
  ['larger-result', /more than 4194304 bytes/],
  ['many-values', /too large/],
  ['endless-line', /more than 4194304 bytes|too much/],
  ['endless-messages', /too many messages|too much/],
  ['invalid-json', /not JSON/],
  ['crashing', /ended with code 3: cannot go on|closed/i],
  ['other-shape', /./],
  ['failing', /no such city/],
])('a program that is %s fails its call, and other servers answer meanwhile', async (kind, reason) => {
  const servers = serversOf({ bad: program(kind), good: program('good') });
  await callOf(servers, 'good');
  const failed = callOf(servers, 'bad');
  expect(await callOf(servers, 'good', { text: '1' })).toEqual({ text: 'echo: 1', isError: false });
  const result = await failed;
  expect(result.isError).toBe(true);
  expect(`${result.text} ${servers.find('bad').describe().lastError ?? ''}`).toMatch(reason);
});

test.each(['endless', 'endless-events', 'huge', 'not-json'] as const)(
  'an HTTP server that is %s fails its call',
  async (kind) => {
    const { url } = await serverOver(kind);
    const result = await callOf(serversOf({ web: { url } }, { callTimeoutMs: 10_000 }), 'web');
    expect(result).toMatchObject({ isError: true });
  },
);

test('an HTTP server that redirects to another host, or that fails, is not used', async () => {
  const [redirecting, failing] = [await serverOver('redirecting'), await serverOver('failing')];
  const servers = serversOf({ redirecting: { url: redirecting.url }, failing: { url: failing.url } });
  await expect(servers.find('redirecting').listTools(never)).rejects.toMatchObject({ code: 'mcp_failed' });
  await expect(servers.find('failing').listTools(never)).rejects.toMatchObject({ code: 'mcp_failed' });
  expect(servers.find('failing').describe().state).toBe('failed');
});

test('a call ends after its time, and when its caller leaves', async () => {
  const { url } = await serverOver('slow');
  const servers = serversOf({ program: program('slow'), web: { url } }, { callTimeoutMs: 200 });
  expect(await callOf(servers, 'program')).toMatchObject({ isError: true, text: expect.stringMatching(/time/i) });
  expect(await callOf(servers, 'web')).toMatchObject({ isError: true });
  const patient = serversOf({ program: program('slow') });
  const leaving = new AbortController();
  const left = patient.find('program').call('echo', {}, leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
});

test('a list of tools that changes is read again', async () => {
  const servers = serversOf({ changing: program('changing') });
  expect(await servers.find('changing').listTools(never)).toMatchObject([{ name: 'echo-1' }]);
  await callOf(servers, 'changing');
  await vi.waitFor(async () =>
    expect(await servers.find('changing').listTools(never)).toMatchObject([{ name: 'echo-2' }]),
  );
});

test('a program that crashes is started again, but not without end', async () => {
  const servers = serversOf({ crashing: program('crashing'), failing: program('failing-start') });
  for (let count = 0; count < mcpLimits.starts; count += 1) await callOf(servers, 'crashing');
  expect((await callOf(servers, 'crashing')).text).toMatch(/tried again later/);
  await expect(servers.find('failing').listTools(never)).rejects.toThrow(/a library is missing/);
});

test('calls beyond the limit of a server are refused', async () => {
  const servers = serversOf({ slow: program('slow') });
  const leaving = new AbortController();
  const running = Array.from({ length: mcpLimits.parallelCalls }, () =>
    servers
      .find('slow')
      .call('echo', {}, leaving.signal)
      .catch(() => {}),
  );
  expect((await callOf(servers, 'slow')).text).toMatch(/too many calls/);
  leaving.abort();
  await Promise.all(running);
});

test('what a program has started ends with it', async () => {
  const servers = serversOf({ children: program('children') });
  const pids = (await callOf(servers, 'children')).text.split(' ').map(Number);
  expect(pids.every(isAlive)).toBe(true);
  await servers.close();
  await vi.waitFor(() => expect(pids.some(isAlive)).toBe(false));
});

test('a change of the file applies to the next use, and servers that stay keep running', async () => {
  const servers = serversOf({ children: program('children'), good: program('good') });
  const first = (await callOf(servers, 'children')).text.split(' ')[0];
  servers.write({ children: program('children') });
  expect(servers.names()).toEqual(['children']);
  expect(() => servers.find('good')).toThrow(/no MCP server "good"/);
  expect((await callOf(servers, 'children')).text.split(' ')[0]).toBe(first);
  servers.write({ bad: {} });
  expect(servers.names()).toEqual(['children']);
  expect(servers.fileError).toMatch(/needs either a command or a url/);
});

test('addresses of requests are refused unless they are allowed, and internal ones always', async () => {
  const { url } = await serverOver('good');
  const address = { name: 'x', url, headers: {} };
  expect(() => serversOf({}).open(address)).toThrow(/HEARTH_MCP_URLS/);
  const allowing = serversOf({}, { allowsUrls: true });
  await expect(allowing.open(address).listTools(never)).rejects.toThrow(/internal address/);
  const named = { ...address, url: url.replace('127.0.0.1', 'localhost') };
  await expect(allowing.open(named).listTools(never)).rejects.toMatchObject({ code: 'mcp_failed' });
});

test('a silent program is shown as starting', async () => {
  const [silent] = await serversOf({ silent: program('silent') }).describe(100);
  expect(silent).toMatchObject({ state: 'starting', tools: [] });
});
