import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeTarGz } from '../../../test/support/packages/write-tar.ts';
import { HearthError } from '../../base/errors.ts';
import type { BackendName } from './backend-table.ts';
import { type InstallOptions, type InstallProgress, installBackend, removeBackend } from './install-backend.ts';

let folder: string;
let downloads: string[];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'hearth-install-')), 'backends');
  downloads = [];
});

const machine = { platform: 'linux', arch: 'x64' };
const engineFiles = ['package/bins/linux-x64-cuda/libllama.cuda.so', 'package/bins/linux-x64-cuda/libggml-base.so'];
const packageWith = (...paths: string[]): Buffer =>
  writeTarGz([...engineFiles, ...paths].map((path) => ({ path, content: `content of ${path}` })));
const complete = packageWith('package/bins/linux-x64-cuda/libggml-cuda.so');

async function install(archive: Buffer | HearthError, name: BackendName = 'cuda', other: Partial<InstallOptions> = {}) {
  const packages: InstallOptions['packages'] = {
    resolve: async ({ version = '' }) => ({ version }),
    async download({ reference, folder: work, onProgress }) {
      downloads.push(`${reference.name}@${reference.version}`);
      const path = join(work, 'file.package');
      if (archive instanceof HearthError) throw archive;
      await writeFile(path, archive);
      onProgress(archive.length, archive.length);
      return path;
    },
  };
  const { signal } = new AbortController();
  const seen: InstallProgress[] = [];
  for await (const progress of installBackend(name, { folder, machine, version: '1.2.3', packages, signal, ...other }))
    seen.push(progress);
  return seen;
}

test('only the library of the backend is kept', async () => {
  const seen = await install(complete);
  expect(readdirSync(folder)).toEqual(['cuda-1.2.3']);
  expect(readdirSync(join(folder, 'cuda-1.2.3'))).toEqual(['libggml-cuda.so']);
  expect(readFileSync(join(folder, 'cuda-1.2.3/libggml-cuda.so'), 'utf8')).toMatch(/^content of .*libggml-cuda\.so$/);
  expect(downloads).toEqual(['@node-llama-cpp/linux-x64-cuda@1.2.3']);
  expect(seen).toContainEqual({
    status: 'downloading @node-llama-cpp/linux-x64-cuda 1.2.3',
    digest: '@node-llama-cpp/linux-x64-cuda',
    total: complete.length,
    completed: complete.length,
  });
  expect(seen.at(-1)).toEqual({ status: 'success' });
});

test('the extension has its library in another folder', async () => {
  await install(packageWith('package/bins/linux-x64-cuda/fallback/libggml-cuda.so'), 'cuda-ext');
  expect(readdirSync(join(folder, 'cuda-ext-1.2.3'))).toEqual(['libggml-cuda.so']);
  expect(downloads).toEqual(['@node-llama-cpp/linux-x64-cuda-ext@1.2.3']);
});

test('an installed backend is not downloaded again, another version is', async () => {
  await install(complete);
  await install(complete);
  expect(downloads).toHaveLength(1);
  await install(complete, 'cuda', { version: '1.2.4' });
  expect(downloads).toHaveLength(2);
});

test.each([
  ['a package without the library', packageWith()],
  ['a package with two', packageWith('package/a/libggml-cuda.so', 'package/b/libggml-cuda.so')],
  ['a truncated package', complete.subarray(0, complete.length - 30)],
  ['a wrong checksum', new HearthError('digest_mismatch', 'the package does not match')],
])('%s leaves nothing behind', async (_, archive) => {
  await expect(install(archive)).rejects.toThrow(/valid archive|does not match/);
  expect(readdirSync(folder)).toEqual([]);
});

test('leftovers of killed processes are removed, running downloads are kept', async () => {
  const running = `.download-${process.pid}-0000`;
  // Larger than any process id.
  for (const name of [running, '.download-4194305-0000', '.download-x'])
    mkdirSync(join(folder, name), { recursive: true });
  await install(complete);
  expect(readdirSync(folder).toSorted()).toEqual([running, 'cuda-1.2.3']);
});

test('a machine without packages is refused before anything is written', async () => {
  const arm = { platform: 'linux', arch: 'arm64' };
  await expect(install(complete, 'vulkan', { machine: arm })).rejects.toThrow(/HEARTH_BACKENDS/);
  expect(existsSync(folder)).toBe(false);
});

test('remove takes all versions of the named backend, and nothing of the user', async () => {
  await install(complete);
  await install(complete, 'cuda', { version: '1.2.4' });
  writeFileSync(join(folder, 'libggml-cuda.so'), '');
  expect(await removeBackend('vulkan', folder, machine)).toEqual([]);
  expect(await removeBackend('cuda', folder, machine)).toHaveLength(2);
  expect(readdirSync(folder)).toEqual(['libggml-cuda.so']);
});
