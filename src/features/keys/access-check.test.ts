import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CheckContext } from '../check.ts';
import { accessCheck, judgeAccess } from './access-check.ts';

const local = { isLocal: true, allowOpen: false, keys: 0, issuer: '' };
const onNetwork = { ...local, isLocal: false };

test.each([
  ['this machine', local, 'ok', 'the server listens on this machine only, and requests need no key'],
  ['keys', { ...local, keys: 2 }, 'ok', 'the server listens on this machine only, and requests need one of 2 keys'],
  ['the network with keys', { ...onNetwork, keys: 1 }, 'ok', expect.stringContaining('on the network')],
  ['sign-in', { ...onNetwork, issuer: 'https://login.example' }, 'ok', expect.stringContaining('sign in with https:')],
  ['the network, open', { ...onNetwork, allowOpen: true }, 'warning', expect.stringContaining('everyone')],
  ['the network without keys', onNetwork, 'problem', expect.stringContaining('does not start')],
])('%s', (_, facts, status, text) => {
  expect(judgeAccess(facts)).toMatchObject({ status, text });
});

test('a damaged file is a problem', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-access-'));
  const keysFile = join(folder, 'keys.json');
  writeFileSync(keysFile, '{');
  const settings = { host: { host: '127.0.0.1', port: 11434 }, allowOpen: false, keysFile, oidcIssuer: '', state: '' };
  const context = { settings } as unknown as CheckContext;
  expect(await accessCheck.run(context, new AbortController().signal)).toMatchObject([
    { status: 'problem', text: expect.stringContaining('keys.json') },
  ]);
  rmSync(folder, { recursive: true });
});
