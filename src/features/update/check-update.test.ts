import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { repository } from '../../../test/support/repository.ts';
import { systemClock } from '../../base/time/clock.ts';
import { checkUpdate } from './check-update.ts';

// A folder for PATH with nothing but a script in the place of npm.
const folder = mkdtempSync(join(tmpdir(), 'hearth-npm-'));
const registry = createServer((request, response) => {
  if (request.url === '/hearth-server') response.end('{"versions":{"1.2.0":{},"1.3.0":{},"2.0.0-rc.1":{}}}');
  else response.writeHead(404).end('{}');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  registry.close();
});
const npm = join(folder, 'npm');
beforeEach(() => rmSync(npm, { force: true }));

const check = (script: string | undefined, { registryUrl = '', https = '', except = '' } = {}) => {
  if (script !== undefined) writeFileSync(npm, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return checkUpdate({
    environment: {
      PATH: folder,
      HEARTH_API_KEY: 'secret',
      HTTP_PROXY: 'http://old.example',
      npm_config_registry: registryUrl,
    },
    version: '1.2.0',
    packageFolder: repository('.'),
    proxy: { https, http: '', except },
    tls: { ca: '', ownCa: '', nodeCa: '', cert: '', key: '' },
    clock: systemClock,
    signal: new AbortController().signal,
  });
};

test.each([
  [`echo '["1.1.0","1.10.0","2.0.0-rc.1"]'`, { newest: '1.10.0', isNewer: true }],
  [`echo '"1.2.0"'`, { newest: '1.2.0', isNewer: false }],
  [`echo '["1.1.0"]'`, { newest: '1.1.0', isNewer: false }],
  [`echo '[]'`, { newest: '1.2.0', isNewer: false }],
])('%s', async (script, expected) => {
  expect(await check(script)).toMatchObject(expected);
});

test.each([
  ['echo hello', 'cannot look for a newer version: the answer has no versions'],
  [
    `echo '{"error":{"code":"E404","summary":"Not Found"}}'; exit 1`,
    'cannot look for a newer version: hearth-server: Not Found',
  ],
])('npm that fails is an error with the reason: %s', async (script, message) => {
  await expect(check(script)).rejects.toThrow(message);
});

test('npm gets the proxies of the settings and no secrets', async () => {
  const file = join(folder, 'environment');
  await check(`echo "$HTTPS_PROXY $HTTP_PROXY $NO_PROXY [$HEARTH_API_KEY]" > ${file}; echo '[]'`, {
    https: 'http://proxy.example:3128',
    except: 'intern.example',
  });
  expect(readFileSync(file, 'utf8')).toBe('http://proxy.example:3128 http://old.example intern.example []\n');
});

test('without npm, the registry itself is asked', async () => {
  await once(registry.listen(0, '127.0.0.1'), 'listening');
  const registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  expect(await check(undefined, { registryUrl })).toMatchObject({ newest: '1.3.0', isNewer: true });
  await expect(check(undefined, { registryUrl: `${registryUrl}/other/` })).rejects.toThrow(
    /^cannot look for a newer version: 127\.0\.0\.1:\d+ answers with status 404$/,
  );
});
