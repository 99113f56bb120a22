import { expect, test } from 'vitest';
import { judgeSandbox } from './sandbox.ts';

const lines = ['sandbox: no new privileges: on', 'sandbox: landlock: version 4', 'sandbox: seccomp: no sockets'];
const facts = { platform: 'linux', enabled: true, lines };

test.each([
  ['all of it', facts, 'ok', 'Landlock and seccomp restrict runners'],
  ['macOS', { ...facts, platform: 'darwin', lines: [] }, 'ok', expect.stringContaining('no sandbox on darwin')],
  [
    'switched off',
    { ...facts, enabled: false, lines: [] },
    'warning',
    expect.stringContaining('HEARTH_SANDBOX is off'),
  ],
  ['no output', { ...facts, lines: [] }, 'warning', 'the sandbox did not start'],
  [
    'an old kernel',
    { ...facts, lines: ['sandbox: landlock: not available: ENOSYS', 'sandbox: seccomp: no sockets'] },
    'warning',
    'landlock: not available: ENOSYS',
  ],
])('%s', (_, given, status, text) => {
  expect(judgeSandbox(given)).toMatchObject([{ status, text }]);
});
