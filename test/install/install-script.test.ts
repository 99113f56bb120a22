// deploy/install.sh with archives of a program that only prints its version.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TarEntry, writeTarGz } from '../../scripts/package/write-tar.mjs';
import { repository } from '../support/repository.ts';

const missing = (process.env['HEARTH_TEST_MISSING'] ?? '').split(',');
const base = mkdtempSync(join(tmpdir(), 'hearth-install-'));
afterAll(() => rmSync(base, { recursive: true }));

// Blanks and quotes in a path must work.
const home = join(base, "Anna's home");
const program = join(home, '.local/bin/hearth');
const share = join(home, '.local/share/hearth');
beforeEach(() => {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
});

async function makeArchive(version: string, entries: readonly Partial<TarEntry>[] = [{}]): Promise<string> {
  const top = `hearth-${version}-linux-x64`;
  const path = join(base, `${top}.tar.gz`);
  const script = `#!/bin/sh\necho "hearth version is ${version}, $*"\n`;
  const defaults = { name: `${top}/bin/hearth`, mode: 0o755, text: script };
  await writeTarGz(
    path,
    entries.map((entry) => ({ ...defaults, ...entry })),
    { seconds: 0 },
  );
  writeFileSync(`${path}.sha256`, `${digestOf(path)}  ${basename(path)}\n`);
  return path;
}

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

let first: string;
let second: string;
beforeAll(async () => {
  first = await makeArchive('1.0.0');
  second = await makeArchive('1.1.0');
});

async function run(command: string, ...words: string[]) {
  const env = { PATH: process.env['PATH'], HOME: home };
  const child = spawn(command, words, { cwd: base, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
const install = (...words: string[]) => run('sh', repository('deploy/install.sh'), ...words);

async function expectVersion(version: string): Promise<void> {
  expect(await run(program, 'a  b', "it's")).toMatchObject({ stdout: `hearth version is ${version}, a  b it's\n` });
  expect(readdirSync(share)).toEqual([`${version}-linux-x64`]);
}

test('it installs the command, and says how to run it', async () => {
  const { code, stdout } = await install(first);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`run: ${program} run ember`)]);
  await expectVersion('1.0.0');
});

test('the second time changes nothing', async () => {
  await install(first);
  const before = [program, join(share, '1.0.0-linux-x64')].map((path) => statSync(path).ino);
  const { code, stdout } = await install(basename(first));
  expect([code, stdout]).toEqual([0, expect.stringContaining('is installed already')]);
  expect([program, join(share, '1.0.0-linux-x64')].map((path) => statSync(path).ino)).toEqual(before);
  await expectVersion('1.0.0');
});

test('a newer version replaces the older one', async () => {
  await install(first);
  expect(await install(second)).toMatchObject({ code: 0 });
  await expectVersion('1.1.0');
});

test('an archive with another checksum is refused', async () => {
  await install(first);
  const { code, stderr } = await install('--sha256', '0'.repeat(64), second);
  expect([code, stderr]).toEqual([1, expect.stringContaining('is damaged')]);
  await expectVersion('1.0.0');
});

test('without a checksum nothing is installed', async () => {
  const path = await makeArchive('1.2.0');
  rmSync(`${path}.sha256`);
  expect(await install(path)).toMatchObject({ code: 1, stderr: expect.stringContaining('.sha256 is missing') });
  expect(existsSync(join(home, '.local'))).toBe(false);
  expect(await install('--sha256', digestOf(path), path)).toMatchObject({ code: 0 });
});

test('an archive that does not run here leaves the installed version', async () => {
  await install(first);
  const broken = await makeArchive('2.0.0', [{ text: '#!/bin/sh\necho wrong machine >&2\nexit 1\n' }]);
  const { code, stderr } = await install(broken);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/wrong machine[\s\S]*does not run on this machine/)]);
  await expectVersion('1.0.0');
});

test.each<[string, readonly Partial<TarEntry>[]]>([
  ['another folder', [{}, { name: 'other/hearth-3.0.0-linux-x64/x' }]],
  ['a path with two dots', [{}, { name: 'hearth-3.0.0-linux-x64/../x' }]],
  ['another program', [{ name: 'other/bin/hearth' }]],
])('an archive with %s is refused', async (_, entries) => {
  expect(await install(await makeArchive('3.0.0', entries))).toMatchObject({ code: 1 });
  expect(existsSync(join(home, '.local'))).toBe(false);
});

test('a command of another installation is not replaced', async () => {
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  writeFileSync(program, 'of npm');
  expect(await install(first)).toMatchObject({ code: 1, stderr: expect.stringContaining('not of this installer') });
  expect(await install('--uninstall')).toMatchObject({ code: 0 });
  expect(readFileSync(program, 'utf8')).toBe('of npm');
});

test('uninstalling removes the program, and leaves models and settings', async () => {
  mkdirSync(join(home, '.hearth/models'), { recursive: true });
  await install(first);
  expect(await install('--uninstall')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`removing ${program}`),
  });
  expect([existsSync(program), existsSync(share), existsSync(join(home, '.hearth/models'))]).toEqual([
    false,
    false,
    true,
  ]);
  expect(await install('--uninstall')).toMatchObject({ code: 0 });
});

test('a dry run says what it would do', async () => {
  const { code, stdout } = await install('--dry-run', first);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`unpacking to ${share}/1.0.0-linux-x64`)]);
  expect(readdirSync(home)).toEqual([]);
  await install(first);
  await install('--dry-run', '--uninstall');
  await install('--dry-run', second);
  await expectVersion('1.0.0');
});

test('another prefix', async () => {
  const prefix = join(home, 'opt');
  expect(await install('--prefix', prefix, first)).toMatchObject({ code: 0 });
  expect(await run(join(prefix, 'bin/hearth'))).toMatchObject({ code: 0 });
  expect(existsSync(join(home, '.local'))).toBe(false);
});

test.skipIf(missing.includes('curl'))('an archive from a URL', async () => {
  const server = createServer(({ url = '' }, response) => {
    const path = join(base, basename(url));
    if (existsSync(path)) createReadStream(path).pipe(response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await install(`${address}/${basename(first)}`)).toMatchObject({ code: 0 });
    await expectVersion('1.0.0');
    expect(await install(`${address}/hearth-9-linux-x64.tar.gz`)).not.toMatchObject({ code: 0 });
    await expectVersion('1.0.0');
  } finally {
    server.close();
  }
});

test.each([
  ['an unknown option', ['--force', 'x'], 1],
  ['no archive', [], 2],
  ['two archives', ['a', 'b'], 1],
  ['a missing file', ['nowhere.tar.gz'], 1],
])('%s is an error', async (_, words, code) => {
  expect(await install(...words)).toMatchObject({ code, stderr: expect.stringMatching(/install\.sh/) });
});

test.skipIf(missing.includes('shellcheck'))('shellcheck has no objections', async () => {
  const scripts = ['deploy/install.sh', 'deploy/start-container.sh'].map(repository);
  expect(await run('shellcheck', ...scripts)).toEqual({ code: 0, stdout: '', stderr: '' });
});
