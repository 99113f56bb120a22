// `hearth version --check` with the installed npm and a registry of this test.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hearth } from '../../support/command.ts';
import { freePort } from '../../support/free-port.ts';
import { repository } from '../../support/repository.ts';

const { version } = JSON.parse(readFileSync(repository('package.json'), 'utf8')) as { readonly version: string };
const versions = [version, '998.0.0', '999.0.0-beta.1'];
const registry = createServer((request, response) => {
  const documents = Object.fromEntries(versions.map((each) => [each, { name: 'hearth-server', version: each }]));
  const latest = versions.at(-1);
  const body = { name: 'hearth-server', 'dist-tags': { latest }, versions: documents };
  if (request.url === '/hearth-server')
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  else response.writeHead(404).end('{}');
});
beforeAll(async () => {
  await once(registry.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void registry.close());

const check = (port: number) =>
  hearth(['version', '--check'], {
    url: 'http://hearth.invalid:9',
    environment: { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_fetch_retries: '0' },
  });
const ownPort = (): number => (registry.address() as AddressInfo).port;

test('a newer version is told with the command that updates this installation; pre-releases are ignored', async () => {
  const { code, stdout, stderr } = await check(ownPort());
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(`Hearth 998.0.0 is available; this is ${version}. Update it with:\n  git -C `);
});

test('a registry that cannot be reached is an error', async () => {
  const { code, stdout, stderr } = await check(await freePort());
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Error: cannot look for a newer version: .*ECONNREFUSED/);
});
