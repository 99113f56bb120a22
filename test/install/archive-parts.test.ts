// The parts of `npm run package` that need no build. `npm run test:package` builds an archive and runs it.

import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findRuntime } from '../../scripts/package/runtime.mjs';
import { selectPackages } from '../../scripts/package/select-packages.mjs';
import { type TarEntry, writeTarGz } from '../../scripts/package/write-tar.mjs';
import { readTar } from '../../src/formats/archive/read-tar.ts';
import { enginePackageName } from '../../src/inference/backends/engine-package.ts';
import { repository } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-tar-'));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(folder, 'source');
writeFileSync(source, 'x'.repeat(70_000));
writeFileSync(join(folder, 'empty'), '');
const deep = `top/${'folder/'.repeat(20)}file`;
const entries = [
  { name: 'top/b', mode: 0o755, source },
  { name: 'top/a', mode: 0o644, text: 'größer' },
  { name: 'top/empty', mode: 0o644, source: join(folder, 'empty') },
  { name: deep, mode: 0o644, text: 'deep' },
];

async function write(name: string, list: readonly TarEntry[]): Promise<string> {
  const path = join(folder, name);
  await writeTarGz(path, list, { seconds: 1_700_000_000 });
  return path;
}

test('an archive has the entries in order, with their contents, for our reader and for tar', async () => {
  const path = await write('a.tar.gz', entries);
  const { size } = statSync(path);
  const archive = await readTar({ compression: 'gzip', size, open: () => createReadStream(path) });
  expect(archive.entries.map((entry) => [entry.path, entry.size])).toEqual([
    ['top/a', 8],
    ['top/b', 70_000],
    ['top/empty', 0],
    [deep, 4],
  ]);
  const listed = execFileSync('tar', ['-tvzf', path], {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' },
  });
  expect(listed).toMatch(/^-rwxr-xr-x root\/root +70000 2023-11-14 22:13 top\/b$/m);
  expect(execFileSync('tar', ['-xzOf', path, 'top/a'], { encoding: 'utf8' })).toBe('größer');
  expect(execFileSync('tar', ['-xzOf', path, deep], { encoding: 'utf8' })).toBe('deep');
});

test('the same entries in another order give the same bytes', async () => {
  const first = readFileSync(await write('first.tar.gz', entries));
  const second = readFileSync(await write('second.tar.gz', entries.toReversed()));
  expect(second.equals(first)).toBe(true);
});

test('a name that the format cannot hold is an error', async () => {
  await expect(write('c.tar.gz', [{ name: `top/${'x'.repeat(101)}`, mode: 0o644, text: '' }])).rejects.toThrow(
    'too long',
  );
});

const lock = JSON.parse(readFileSync(repository('package-lock.json'), 'utf8'));

test.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['win32', 'x64'],
  ['win32', 'arm64'],
])('%s-%s has one build of each native package, and no development dependency', (platform, arch) => {
  const engine = enginePackageName({ platform, arch });
  const names = selectPackages(lock, { platform, arch, engine }).map(({ name }) => name);
  const native = names.filter((name) => /^@(?:node-llama-cpp|fugood|koromix)\//.test(name));
  expect(native).toEqual([
    `@fugood/node-llama-${platform}-${arch}`,
    `@fugood/node-whisper-${platform}-${arch}`,
    `@koromix/koffi-${platform}-${arch}`,
    engine,
  ]);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'koffi', 'undici', '@huggingface/jinja', '@jsquash/webp']));
  expect(names).not.toContain('vitest');
});

test('lists of platforms are read as npm reads them', () => {
  const packages = {
    '': {},
    'node_modules/a': { os: ['!win32'] },
    'node_modules/b': { os: ['linux'], libc: ['musl'] },
    'node_modules/c': { cpu: ['!x64'] },
    'node_modules/c/node_modules/@d/e': {},
    'node_modules/f': { dev: true },
  };
  const target = { platform: 'linux', arch: 'x64', engine: '' };
  expect(selectPackages({ packages }, target).map(({ name, folder: path }) => [name, path])).toEqual([
    ['a', 'node_modules/a'],
    ['@d/e', 'node_modules/c/node_modules/@d/e'],
  ]);
});

describe('the runtime', () => {
  const makeNode = (top: string): Promise<string> =>
    write(`${top}.tar.gz`, [
      { name: `${top}/bin/node`, mode: 0o755, text: 'program' },
      { name: `${top}/LICENSE`, mode: 0o644, text: 'license' },
    ]);
  const find = (arch: string, archive?: string) =>
    findRuntime({ archive, platform: 'darwin', arch, folder: mkdtempSync(join(folder, 'node-')) });

  test('of another platform comes from an archive', async () => {
    expect(() => find(process.platform === 'darwin' ? 'other' : 'arm64')).toThrow(
      'name an archive of nodejs.org with --node',
    );
    const { program, license } = find('arm64', await makeNode('node-v24.21.0-darwin-arm64'));
    expect([readFileSync(program, 'utf8'), license]).toEqual(['program', 'license']);
  });

  test('must be for the platform', async () => {
    const archive = await makeNode('node-v24.21.0-darwin-x64');
    expect(() => find('arm64', archive)).toThrow('is not an archive of Node for darwin-arm64');
  });
});
