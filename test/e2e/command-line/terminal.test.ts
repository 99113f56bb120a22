// The command line in a real terminal. The expected screens are in test/goldens/screens.

import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { ask } from '../../support/client.ts';
import { hearthScript, installShim } from '../../support/command.ts';
import { type ScriptedStreamServer, startScriptedStreamServer } from '../../support/registry/scripted-stream-server.ts';
import { startServer } from '../../support/server.ts';
import { hasTmux, openTerminal, type TestTerminal } from '../../support/terminal.ts';

const missing = (process.env['HEARTH_TEST_MISSING'] ?? '').split(',');
const open: { close(): void }[] = [];
afterEach(() => {
  for (const resource of open.splice(0)) resource.close();
});

const template = `sha256:966de95ca8a6${'0'.repeat(52)}`;
const weights = `sha256:8eeb52dfb3bb${'0'.repeat(52)}`;
const license = `sha256:fcc5a6bec9da${'0'.repeat(52)}`;
const downloading = (digest: string, completed: number, total: number) => ({
  status: `downloading ${digest}`,
  digest,
  total,
  completed,
});

async function pull(columns: number): Promise<{ server: ScriptedStreamServer; terminal: TestTerminal }> {
  const server = await startScriptedStreamServer();
  open.push(server);
  const terminal = openTerminal({
    command: [process.execPath, hearthScript, 'pull', 'llama3.2'],
    columns,
    rows: 12,
    environment: { HEARTH_HOST: server.url },
  });
  open.push(terminal);
  return { server, terminal };
}

/** Sends so few statuses that no time-dependent numbers are shown yet. */
async function sendHalf(server: ScriptedStreamServer): Promise<void> {
  await server.send({ status: 'pulling manifest' });
  await server.send(downloading(template, 1400, 1400));
  await server.send(downloading(weights, 1.9e9, 4.7e9));
  await server.send(downloading(license, 7000, 7700));
}

async function sendRest(server: ScriptedStreamServer): Promise<void> {
  await server.send(downloading(license, 7700, 7700));
  await server.send(downloading(weights, 4.7e9, 4.7e9));
  for (const status of ['verifying sha256 digest', 'writing manifest', 'removing any unused layers', 'success'])
    await server.send({ status });
  await server.finish();
}

const golden = (name: string): string => `../../goldens/screens/${name}.txt`;

describe.skipIf(!hasTmux)('a pull', () => {
  test.each([40, 80, 200])('at %d columns', async (columns) => {
    const { server, terminal } = await pull(columns);
    await sendHalf(server);
    const middle = await terminal.waitFor(/fcc5a6bec9da +91%/);
    await expect(middle).toMatchFileSnapshot(golden(`pull-${columns}-middle`));
    await sendRest(server);
    expect(await terminal.exitCode()).toBe(0);
    await expect(terminal.screen()).toMatchFileSnapshot(golden(`pull-${columns}-end`));
  });

  test('shows the speed and the remaining time', async () => {
    const { server, terminal } = await pull(80);
    await sendHalf(server);
    await terminal.waitFor('fcc5a6bec9da');
    let completed = 1.9e9;
    const more = setInterval(() => {
      completed += 1e7;
      void server.send(downloading(weights, completed, 4.7e9));
    }, 50);
    open.push({ close: () => clearInterval(more) });
    expect(await terminal.waitFor(/8eeb52dfb3bb .* \d[\d.]* [KMG]B\/s +\d+[smh]/)).toContain('GB/4.7 GB');
  });

  test('a window resized during the pull leaves no remains', async () => {
    const { server, terminal } = await pull(80);
    await sendHalf(server);
    await terminal.waitFor(/fcc5a6bec9da +91%/);
    terminal.resize(40, 12);
    await terminal.waitFor(/^8eeb52dfb3bb/m);
    await sendRest(server);
    expect(await terminal.exitCode()).toBe(0);
    await expect(terminal.screen()).toMatchFileSnapshot(golden('pull-40-end'));
  });

  test('Ctrl-C exits with 130, closes the connection and restores the screen', async () => {
    const { server, terminal } = await pull(80);
    await sendHalf(server);
    await terminal.waitFor(/fcc5a6bec9da +91%/);
    terminal.press('C-c');
    await server.left;
    expect(await terminal.exitCode()).toBe(130);
    expect(terminal.screen()).not.toContain('Error');
    expect(terminal.cursorIsVisible()).toBe(true);
  });

  test('an error is printed below the bars', async () => {
    const { server, terminal } = await pull(80);
    await sendHalf(server);
    await server.send({ error: 'no space left on the disk' });
    await server.finish();
    expect(await terminal.exitCode()).toBe(1);
    expect(terminal.screen()).toMatch(/fcc5a6bec9da +91%[^\n]*\nError: no space left on the disk$/);
  });
});

describe.skipIf(!hasTmux)('a shell', () => {
  test('bash completes commands, flags and models, including after a colon', async () => {
    const server = await startServer();
    const bin = installShim();
    open.push({ close: () => rmSync(bin, { recursive: true }) });
    const terminal = openTerminal({
      command: ['bash', '--noprofile', '--norc'],
      environment: { HEARTH_HOST: server.url, PATH: `${bin}:${process.env['PATH']}`, PS1: '$ ', HISTFILE: '/dev/null' },
      cwd: tmpdir(),
    });
    open.push(terminal);
    try {
      terminal.type('source <(hearth completion bash); echo rea""dy');
      terminal.press('Enter');
      await terminal.waitFor('ready\n$');
      terminal.type('hearth sh');
      terminal.press('Tab');
      await terminal.waitFor('$ hearth show');
      terminal.type('ember:');
      terminal.press('Tab');
      await terminal.waitFor('$ hearth show ember:latest');
      terminal.type('--mod');
      terminal.press('Tab');
      await terminal.waitFor('$ hearth show ember:latest --modelfile');
    } finally {
      await server.stop();
    }
  });

  test.skipIf(missing.includes('zsh'))('zsh completes with descriptions', async () => {
    const server = await startServer();
    const bin = installShim();
    open.push({ close: () => rmSync(bin, { recursive: true }) });
    const terminal = openTerminal({
      command: ['zsh', '-f', '-i'],
      environment: { HEARTH_HOST: server.url, PATH: `${bin}:${process.env['PATH']}`, PS1: '$ ' },
      cwd: tmpdir(),
    });
    open.push(terminal);
    try {
      terminal.type('autoload -U compinit; compinit -u -D; source <(hearth completion zsh); echo rea""dy');
      terminal.press('Enter');
      await terminal.waitFor(/\nready\n\$/);
      terminal.type('hearth s');
      terminal.press('Tab');
      await terminal.waitFor(/serve +-- +Start the server\n(?:.*\n)*show +-- +Show details of a model/);
      terminal.type('how ember-e');
      terminal.press('Tab');
      await terminal.waitFor('$ hearth show ember-eyes:latest');
    } finally {
      await server.stop();
    }
  });

  test('list and ps fit a window of 40 columns', async () => {
    const server = await startServer();
    try {
      await ask(server.url, 'Hi', { num_predict: 1 });
      for (const [command, pattern] of [
        ['list', /^ember-thinks:latest {2}26 MB/m],
        ['ps', /^ember:latest .*from now$/m],
      ] as const) {
        const environment = { HEARTH_HOST: server.url };
        const terminal = openTerminal({ command: [process.execPath, hearthScript, command], columns: 40, environment });
        open.push(terminal);
        expect(await terminal.exitCode()).toBe(0);
        const lines = terminal.screen().split('\n');
        expect(terminal.screen()).toMatch(pattern);
        // A line that does not fit would continue on the next row.
        expect(lines.filter((line) => !/^(NAME|\w[\w.-]*:\w+) /.test(line))).toEqual([]);
      }
    } finally {
      await server.stop();
    }
  });

  test('help fits a window of 80 columns', async () => {
    const terminal = openTerminal({ command: [process.execPath, hearthScript], columns: 80, rows: 50 });
    open.push(terminal);
    expect(await terminal.exitCode()).toBe(0);
    await expect(terminal.screen()).toMatchFileSnapshot(golden('help-80'));
  });
});
