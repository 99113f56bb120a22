// Commands without a server: they start one in the background, which other commands use and which ends by itself.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { createHome, type Home, serversOf, stopServersOf } from '../../support/home.ts';
import { isAlive } from '../../support/processes.ts';

let home: Home;
beforeEach(async () => {
  home = createHome(`127.0.0.1:${await freePort()}`);
});
afterEach(async () => {
  await stopServersOf(home);
  home.remove();
});

const logOf = ({ folder }: Home): string => readFileSync(join(folder, '.hearth', 'server.log'), 'utf8');

describe('a command without a server', () => {
  test('starts one, says so and where its log is; the next command uses it', async () => {
    const first = await home.pipe(['list']);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ember:latest /m) });
    expect(first.stderr).toMatch(
      /^No server is running at http:\/\/127\.0\.0\.1:\d+; starting one in the background\. Its log is .*\/\.hearth\/server\.log\n$/,
    );
    const servers = serversOf(home);
    expect(servers).toHaveLength(1);
    expect(await home.pipe(['run', 'ember', 'What is 2 + 2?'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('4'),
      stderr: '',
    });
    expect(await home.pipe(['ps'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ember:latest /m) });
    expect(serversOf(home)).toEqual(servers);
    expect(logOf(home)).toContain('listening on http://127.0.0.1');
    expect(logOf(home)).toMatch(/engine build=\S+ devices=.+ memory=.+ context=automatic parallel=automatic/);
  });

  test('pull works on a fresh machine: embedded models need no registry', async () => {
    expect(await home.pipe(['rm', 'ember', 'ember-eyes'])).toMatchObject({ code: 0 });
    for (const model of ['ember', 'ember-eyes', 'ember-thinks'])
      expect(await home.pipe(['pull', model])).toMatchObject({ code: 0, stderr: expect.stringMatching(/success\n$/) });
    const { stdout } = await home.pipe(['list']);
    for (const model of ['ember', 'ember-eyes', 'ember-thinks']) expect(stdout).toContain(`${model}:latest`);
  });

  test('commands at the same time end up with one server and one key', async () => {
    const results = await Promise.all([home.pipe(['key']), home.pipe(['key']), home.pipe(['key'])]);
    const [line] = results.map(({ stdout }) => stdout);
    expect(line, JSON.stringify(results)).toMatch(/^ssh-ed25519 AAAA[A-Za-z0-9+/]+ hearth\n$/);
    for (const result of results) expect(result).toMatchObject({ code: 0, stdout: line });
    expect(serversOf(home)).toHaveLength(1);
  });

  test('a wrong use of the command starts nothing', async () => {
    for (const words of [
      ['launch', 'nothing'],
      ['push', 'ember'],
      ['run', 'ember', '--think=much'],
      ['create', 'x', '-f', 'Missing'],
      ['show', 'ember', '--license', '--system'],
    ])
      expect(await home.pipe(words)).toMatchObject({ code: 1 });
    expect(existsSync(join(home.folder, '.hearth', 'server.log'))).toBe(false);
  });
});

test('the server ends after it had no work, and a loaded model is work', async () => {
  const short = createHome(`127.0.0.1:${await freePort()}`, { HEARTH_IDLE_EXIT: '1s', HEARTH_KEEP_ALIVE: '2s' });
  try {
    expect(await short.pipe(['run', 'ember', 'Hi'])).toMatchObject({ code: 0 });
    const [server = 0] = serversOf(short);
    await expect.poll(() => isAlive(server)).toBe(false);
    const log = logOf(short);
    expect(log.indexOf('model unloaded')).toBeGreaterThan(0);
    expect(log.indexOf('stopping reason="no work"')).toBeGreaterThan(log.indexOf('model unloaded'));
    expect(serversOf(short)).toEqual([]);
  } finally {
    short.remove();
  }
});

describe('a server that cannot start is reported with the reason and its log', () => {
  test('a store that is not a folder', async () => {
    writeFileSync(join(home.folder, 'file'), '');
    const blocked = createHome(`127.0.0.1:${await freePort()}`, { HEARTH_MODELS: join(home.folder, 'file', 'x') });
    const { code, stderr } = await blocked.pipe(['run', 'ember', 'Hi']);
    blocked.remove();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /Error: failed to start the server: the folder \S+ cannot be created\..* \(log: \S+server\.log\)\n$/,
    );
  });

  test.each([
    ['a store that cannot be created', { HEARTH_MODELS: '/proc/x' }, ['serve']],
    ['a home that cannot be written', { HOME: '/proc/self' }, ['serve']],
    ['a home that cannot be written, for a command', { HOME: '/proc/self' }, ['list']],
  ])('%s', async (_, environment, words) => {
    const unwritable = createHome(`127.0.0.1:${await freePort()}`, environment);
    const { code, stdout, stderr } = await unwritable.pipe(words);
    unwritable.remove();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: .*(cannot be created|cannot write).*\. [A-Z].*\n$/);
    expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b/);
  });

  test('a store without models that cannot be written', async () => {
    const { code, stderr } = await createHome(`127.0.0.1:${await freePort()}`, { HEARTH_MODELS: '/sys' }).pipe([
      'serve',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: .*\/sys.*\n$/m);
  });
});

describe('a server that a command has started', () => {
  test('is replaced by `hearth serve`, with the same store at another address too', async () => {
    await home.pipe(['list']);
    const [first = 0] = serversOf(home);
    const terminal = home.open(['serve', '--host', `127.0.0.1:${await freePort()}`]);
    await terminal.waitFor('Hearth is listening');
    expect(terminal.screen()).toContain(
      `Replacing the server that a command started in the background (process ${first}).`,
    );
    expect(isAlive(first)).toBe(false);
    expect(serversOf(home)).toHaveLength(1);
  });

  test('is ended by `hearth stop --server`, which ends no other server', async () => {
    await home.pipe(['list']);
    const [server = 0] = serversOf(home);
    expect(await home.pipe(['stop', '--server'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Stopped the server at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\.\n$/),
    });
    expect(isAlive(server)).toBe(false);
    expect(await home.pipe(['stop', '--server'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: no server at /),
    });
    const terminal = home.open(['serve']);
    await terminal.waitFor('Hearth is listening');
    expect(await home.pipe(['stop', '--server'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was not started by a command: press Ctrl-C where it runs'),
    });
    expect(serversOf(home)).toHaveLength(1);
  });
});

test('another program at the address is named, not printed', async () => {
  const page = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>printer</h1>'));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(page.address() as AddressInfo).port}`;
  const printer = createHome(host);
  expect(await printer.pipe(['list'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `Error: ${host} is not Hearth or Ollama (it answered text/html): stop that program, or choose another address with HEARTH_HOST\n`,
  });
  printer.remove();
  page.close();
});

test('no server is started for another machine', async () => {
  const remote = createHome('http://hearth.invalid:1');
  for (const words of [['run', 'ember', 'Hi'], ['list'], ['key']])
    expect(await remote.pipe(words)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Error: no server at http://hearth.invalid:1: start one with `hearth serve`, or set HEARTH_HOST to its address\n',
    });
  remote.remove();
});
