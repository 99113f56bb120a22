import { once } from 'node:events';
import { linkSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import type { Settings } from '../../settings/setting-table.ts';
import type { CheckContext } from '../check.ts';
import { judgeClock, judgePort, judgeProxies, judgeRegistry, networkChecks, type PortUser } from './network-checks.ts';

describe('port', () => {
  const url = 'http://127.0.0.1:11434';

  test.each<[PortUser, string, string]>([
    [{ kind: 'hearth', version: '1.0.0' }, 'ok', `Hearth 1.0.0 answers at ${url}`],
    [{ kind: 'hearth', version: '0.9.0' }, 'warning', `Hearth 0.9.0 answers at ${url}, but this command is 1.0.0`],
    [{ kind: 'free' }, 'ok', `${url} is free; no server is running`],
    [{ kind: 'ollama', version: '0.14.0' }, 'warning', `Ollama 0.14.0 answers at ${url}, or a program like it`],
    [{ kind: 'elsewhere' }, 'warning', `no server answers at ${url}`],
    [{ kind: 'unknown', reason: 'no start line' }, 'warning', `the server at ${url} cannot be asked: no start line`],
    [{ kind: 'other', reason: 'status 404' }, 'problem', `another program answers at ${url}: status 404`],
    [{ kind: 'forbidden' }, 'problem', `no permission to open ${url}`],
    [{ kind: 'blocked', reason: 'no permission' }, 'problem', `no server can listen at ${url}: no permission`],
  ])('%o is %s', (user, status, text) => {
    expect(judgePort({ url, user, version: '1.0.0' })).toMatchObject({ status, text: expect.stringContaining(text) });
  });
});

test('the path of a Unix socket is tried, and nothing is left there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-doctor-'));
  const check = async (socket: string) => {
    const settings = { host: { socket }, tlsCert: '' } as unknown as Settings;
    const context = { settings, version: '1.0.0', environment: {}, clock: systemClock } as unknown as CheckContext;
    return networkChecks[0]?.run(context, AbortSignal.timeout(60_000));
  };
  const socket = join(folder, 'h.sock');
  const isFree = { status: 'ok', text: `unix:${socket} is free; no server is running` };
  expect(await check(socket)).toEqual([isFree]);
  expect(readdirSync(folder)).toEqual([]);
  const server = createServer().listen({ path: join(folder, 'a') });
  await once(server, 'listening');
  linkSync(join(folder, 'a'), socket);
  server.close();
  expect(await check(socket)).toEqual([isFree]);
  rmSync(socket);
  writeFileSync(socket, '');
  expect(await check(socket)).toMatchObject([{ status: 'problem', text: expect.stringContaining('is not a socket') }]);
  expect(await check(join(folder, 'none', 'h.sock'))).toMatchObject([
    { status: 'problem', text: expect.stringContaining('there is no such folder') },
  ]);
  rmSync(folder, { recursive: true });
});

describe('proxies', () => {
  test('no proxy and one that accepts connections are ok', () => {
    expect(judgeProxies([], 'localhost')).toEqual([{ status: 'ok', text: 'none' }]);
    expect(judgeProxies([{ address: 'http://proxy.example:3128' }], 'intern.example')).toEqual([
      { status: 'ok', text: 'http://proxy.example:3128, except for intern.example' },
    ]);
  });

  test('a proxy that cannot be reached is a warning', () => {
    const proxies = [{ address: 'http://proxy.example:3128', failure: 'connection refused' }];
    expect(judgeProxies(proxies, '')).toMatchObject([
      { status: 'warning', text: 'the proxy http://proxy.example:3128 cannot be reached: connection refused' },
    ]);
  });
});

describe('registry', () => {
  const host = 'registry.example';

  test.each([
    ['it asks for a token', { host, isProxied: false, status: 401 }, 'ok', 'registry.example answers'],
    ['a proxy', { host, isProxied: true, status: 200 }, 'ok', 'registry.example answers through the proxy'],
    ['an outage', { host, isProxied: false, status: 503 }, 'warning', 'registry.example answers with status 503'],
    [
      'no network',
      { host, isProxied: false, failure: 'host not found' },
      'warning',
      'registry.example cannot be reached: host not found',
    ],
  ])('%s', (_, answer, status, text) => {
    expect(judgeRegistry(answer)).toMatchObject({ status, text });
  });
});

describe('clock', () => {
  const now = Date.UTC(2030, 0, 10);
  const hour = 3_600_000;
  const facts = { now, installed: now - 1000 * hour };

  test.each<[string, { now: number; installed: number; elsewhere?: number }, string, string]>([
    ['no network', facts, 'ok', '2030-01-10T00:00:00.000Z, not compared with another clock'],
    ['a second', { ...facts, elsewhere: now + 1000 }, 'ok', '2030-01-10T00:00:00.000Z, as the registry says'],
    ['behind', { ...facts, elsewhere: now + 3 * hour }, 'warning', '2030-01-10T00:00:00.000Z is 3 hours slow'],
    ['ahead', { ...facts, elsewhere: now - 3 * hour }, 'warning', '2030-01-10T00:00:00.000Z is 3 hours fast'],
    [
      'an empty battery',
      { now: 0, installed: now },
      'problem',
      '1970-01-01T00:00:00.000Z is before the installation of Hearth',
    ],
  ])('%s', (_, given, status, text) => {
    expect(judgeClock(given.now, given.installed, given.elsewhere)).toMatchObject({ status, text });
  });
});
