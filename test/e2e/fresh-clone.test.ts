// The first start: a clone, one command, an answer, Ctrl-C.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTar } from '../../src/formats/archive/read-tar.ts';
import { ask, beginAnswer } from '../support/client.ts';
import { serveOwnPackage } from '../support/packages/serve-own-package.ts';
import { repository } from '../support/repository.ts';
import { thoroughly } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-clone-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a clone, without dependencies and build. */
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
      // No deadline: the machine may be slow.
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

const npm = async (...words: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)('npm', words, { cwd: clone, encoding: 'utf8' });
  return stdout + stderr;
};
/** Made by the first test that needs it. */
let packed: Promise<string> | undefined;
const pack = (): Promise<string> => {
  packed ??= npm('pack', '--pack-destination', folder).then(() =>
    join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string),
  );
  return packed;
};
const neededFiles = ['models/embedded.json', 'deploy/hearth.service', 'deploy/Containerfile', 'LICENSE'];
const lock = JSON.parse(readFileSync(repository('package-lock.json'), 'utf8')) as Lock;
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');

test('the package has its files and the tested versions of what it needs', { timeout: 400_000 }, async () => {
  const path = await pack();
  expect(existsSync(join(clone, 'npm-shrinkwrap.json'))).toBe(false);
  const { size } = statSync(path);
  const archive = await readTar({ compression: 'gzip', size, open: () => createReadStream(path) });
  const paths = archive.entries.map((entry) => entry.path);
  for (const name of [...neededFiles, 'bin/hearth.cjs', 'dist/main.js']) expect(paths).toContain(`package/${name}`);
  let shrinkwrap = '';
  await archive.extract(new Set(['package/npm-shrinkwrap.json']), async (_, content) => {
    for await (const chunk of content) shrinkwrap += Buffer.from(chunk).toString('latin1');
  });
  const { '': own, ...others } = (JSON.parse(shrinkwrap) as Lock).packages;
  expect(own).not.toHaveProperty('devDependencies');
  expect(others).toEqual(Object.fromEntries(locked.filter(([, { dev }]) => !dev)));
});

// It takes a third of a minute.
if (thoroughly(true, false))
  test('the package installs globally with the tested versions, without warnings', { timeout: 400_000 }, async () => {
    const registry = await serveOwnPackage(await pack());
    const prefix = join(folder, 'prefix');
    const flags = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', '--registry', registry.url];
    const output = await npm('install', '-g', ...flags, 'hearth-server').finally(registry.stop);
    expect(output).not.toMatch(/EBADENGINE|deprecated/);

    const installed = join(prefix, 'lib/node_modules/hearth-server');
    const versions = (paths: readonly string[]) =>
      Object.fromEntries(paths.map((path) => [path, versionOf(join(installed, path))]).filter(([, found]) => found));
    // Packages of other platforms are in the lockfile, but are not installed.
    const found = versions(locked.filter(([, { dev }]) => !dev).map(([path]) => path));
    expect(found).toEqual(
      Object.fromEntries(locked.filter(([path]) => path in found).map(([path, { version }]) => [path, version])),
    );
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['node_modules/fastify', 'node_modules/light-my-request']),
    );
    expect(versions(locked.filter(([, { dev }]) => dev).map(([path]) => path))).toEqual({});

    const version = execFileSync(join(prefix, 'bin/hearth'), ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: folder, HEARTH_HOST: '127.0.0.1:9' },
    });
    expect(version).toBe(`hearth version is ${versionOf(installed)}\n`);
    for (const name of neededFiles) expect(existsSync(join(installed, name))).toBe(true);
  });

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
}

/** Undefined if the package is not installed. */
function versionOf(path: string): string | undefined {
  const file = join(path, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : undefined;
}
