// push, pull and key from the command line, against a real registry.

import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandResult, hearthScript, hearth as runHearth } from '../../support/command.ts';
import { startRegistry, type TestRegistry } from '../../support/registry/team-registry.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { hasTmux, openTerminal } from '../../support/terminal.ts';

let registry: TestRegistry;
let server: TestServer;
beforeAll(async () => {
  [registry, server] = await Promise.all([startRegistry(), startServer()]);
});
afterAll(async () => {
  await Promise.all([registry.stop(), server.stop()]);
});

const hearth = (...words: string[]): Promise<CommandResult> =>
  runHearth(words, { url: server.url, environment: { HOME: dirname(server.store) } });
const name = (): string => `${registry.host}/team/ember`;

test('a model is pushed with the key that `hearth public-key` prints, and pulled again', async () => {
  registry.register((await hearth('key')).stdout.trim());
  await hearth('cp', 'ember', name());
  const push = await hearth('push', name(), '--insecure');
  expect(push).toMatchObject({ code: 0, stdout: '' });
  expect(push.stderr).toMatch(/^retrieving manifest\n(?:.*\n)*uploading [0-9a-f]{12} 100% 26 MB\n(?:.*\n)*success\n$/);
  await hearth('rm', name());
  const pull = await hearth('pull', name(), '--insecure');
  expect(pull).toMatchObject({ code: 0, stdout: '' });
  expect(pull.stderr).toMatch(/^pulling manifest\n(?:.*\n)*writing manifest\n(?:.*\n)*success\n$/);
  expect((await hearth('show', name())).stdout).toContain('41.96M');
});

test.skipIf(!hasTmux)('a second pull in a terminal shows full bars at once', async () => {
  const terminal = openTerminal({
    command: [process.execPath, hearthScript, 'pull', name(), '--insecure'],
    environment: { HEARTH_HOST: server.url },
  });
  try {
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen()).toMatch(/^pulling manifest\n(?:downloading [0-9a-f]{12} 100% ▕█+▏ .*\n)*/);
    expect(terminal.screen()).toMatch(/success$/);
  } finally {
    terminal.close();
  }
});

test.each([
  ['a model that the registry does not have', ['pull', 'nothing'], 1],
  ['a push without a namespace', ['push', 'ember'], 1],
])('%s gives a clear error', async (_, [command = '', model = ''], code) => {
  const target = command === 'pull' ? `${registry.host}/team/${model}` : model;
  const result = await hearth(command, target, '--insecure');
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toMatch(/^(?:pulling manifest\n)?Error: .+\n/);
});
