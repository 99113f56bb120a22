// A newcomer's first minutes: a clone, one command, an answer, Ctrl-C.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, beginAnswer } from '../support/client.ts';
import { repository } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-clone-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a clone would hold: no dependencies, no build. */
function cloneInto(target: string): void {
  const names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  for (const name of names.split('\n').filter((line) => line !== '' && existsSync(repository(line)))) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    cpSync(repository(name), join(target, name));
  }
}

const clone = join(folder, 'clone');
beforeAll(() => cloneInto(clone));

interface Start {
  /** The process id of npm, which leads a group of its own. */
  readonly pid: number;
  readonly url: string;
  /** The exit code or the signal of npm. */
  readonly exit: Promise<number | string>;
  readonly output: () => string;
}

/** The server may outlive npm when a test fails. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs `npm start` in the clone until the server listens; ends the whole group when `use` is done. */
async function withNpmStart(use: (start: Start) => Promise<void>): Promise<void> {
  const { PATH, HOME } = process.env;
  const child = spawn('npm', ['start'], {
    cwd: clone,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      HOME,
      HEARTH_HOST: '127.0.0.1:0',
      HEARTH_MODELS: join(folder, 'models'),
      // However slow the machine is today.
      HEARTH_SHUTDOWN_GRACE: '60s',
    },
  });
  const pid = child.pid as number;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exit = once(child, 'exit').then(([code, signal]) => code ?? signal);
  try {
    await expect.poll(() => output, { timeout: 280_000, interval: 200 }).toContain('curl http');
    const url = /listening on (http\S+)/.exec(output)?.[1] as string;
    await use({ pid, url, exit, output: () => output });
  } finally {
    killGroup(pid);
  }
}

test('npm start installs, builds and serves; Ctrl-C ends it with code 0', { timeout: 300_000 }, async () => {
  await withNpmStart(async ({ pid, url, exit, output }) => {
    expect(existsSync(join(clone, 'test', 'clients', 'node_modules'))).toBe(false);
    expect(await ask(url, 'Why is the sky blue?', { temperature: 0 })).toMatch(/scatter/i);
    const rest = await beginAnswer(url, { prompt: 'Why is the sky blue?', options: { temperature: 0 } });
    // A terminal's Ctrl-C goes to the whole group.
    process.kill(-pid, 'SIGINT');
    expect((await rest()).map(({ response }) => response).join('')).toMatch(/scatter/i);
    expect([await exit, output()]).toEqual([0, output()]);
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm alone reaches the server',
  { timeout: 300_000 },
  async (signal) => {
    await withNpmStart(async ({ pid, url, exit, output }) => {
      const rest = await beginAnswer(url, { prompt: 'Why is the sky blue?', options: { temperature: 0 } });
      process.kill(pid, signal);
      expect((await rest()).map(({ response }) => response).join('')).toMatch(/scatter/i);
      expect([await exit, output()]).toEqual([0, output()]);
    });
  },
);

test('the package that npm installs is whole: its command runs and finds its models', { timeout: 300_000 }, () => {
  const target = join(folder, 'installed', 'hearth-server');
  mkdirSync(target, { recursive: true });
  // The build is there already; packing would make it anew in the middle of other tests.
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string;
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', target, '--strip-components', '1']);
  symlinkSync(repository('node_modules'), join(target, 'node_modules'));
  const { bin, version } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  const command = join(target, bin.hearth);
  expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const output = execFileSync(process.execPath, [command, '--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HOME: folder, HEARTH_HOST: '127.0.0.1:9' },
  });
  expect(output).toBe(`hearth version is ${version}\n`);
  expect(existsSync(join(target, 'models', 'embedded.json'))).toBe(true);
});
