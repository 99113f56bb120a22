import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { repository } from '../../../../test/support/repository.ts';
import { checkUpdate } from './check-update.ts';

// A folder for PATH with nothing but a script in the place of npm.
const folder = mkdtempSync(join(tmpdir(), 'hearth-npm-'));
afterAll(() => rmSync(folder, { recursive: true }));
const npm = join(folder, 'npm');
beforeEach(() => rmSync(npm, { force: true }));

const noProxy = { https: '', http: '', except: '' };
const check = (script: string, proxy = noProxy) => {
  if (script !== '') writeFileSync(npm, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = { PATH: folder, HEARTH_API_KEY: 'secret', HTTP_PROXY: 'http://old.example' };
  const { signal } = new AbortController();
  return checkUpdate({ environment, version: '1.2.0', packageFolder: repository('.'), proxy, signal });
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
  ['', 'cannot look for a newer version: npm is not installed'],
  ['echo hello', 'cannot look for a newer version: npm did not print versions'],
  [
    `echo '{"error":{"code":"E404","summary":"Not Found"}}'; exit 1`,
    'cannot look for a newer version: hearth-server: Not Found',
  ],
])('npm that fails is an error with the reason: %s', async (script, message) => {
  await expect(check(script)).rejects.toThrow(message);
});

test('npm gets the proxies of the settings and no secrets', async () => {
  const file = join(folder, 'environment');
  const proxy = { https: 'http://proxy.example:3128', http: '', except: 'intern.example' };
  await check(`echo "$HTTPS_PROXY $HTTP_PROXY $NO_PROXY [$HEARTH_API_KEY]" > ${file}; echo '[]'`, proxy);
  expect(readFileSync(file, 'utf8')).toBe('http://proxy.example:3128 http://old.example intern.example []\n');
});
