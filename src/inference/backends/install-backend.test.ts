import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeWheel } from '../../../test/support/packages/write-packages.ts';
import { writeTarGz } from '../../../test/support/packages/write-tar.ts';
import { HearthError } from '../../base/errors.ts';
import type { BackendName } from './backend-table.ts';
import type { RuntimePackage } from './cuda-runtime.ts';
import { type InstallOptions, type InstallProgress, installBackends, removeBackend } from './install-backend.ts';

let folder: string;
let downloads: string[];
let integrities: (string | undefined)[];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'hearth-install-')), 'backends');
  downloads = [];
  integrities = [];
});

const machine = { platform: 'linux', arch: 'x64' };
const engineFiles = ['package/bins/linux-x64-cuda/libllama.cuda.so', 'package/bins/linux-x64-cuda/libggml-base.so'];
const packageWith = (...paths: string[]): Buffer =>
  writeTarGz([...engineFiles, ...paths].map((path) => ({ path, content: `content of ${path}` })));
const complete = packageWith('package/bins/linux-x64-cuda/libggml-cuda.so');

const librariesOf: Readonly<Record<string, readonly string[]>> = {
  'nvidia-cuda-runtime-cu12': ['nvidia/cuda_runtime/lib/libcudart.so.12'],
  'nvidia-cublas-cu12': ['libcublas.so.12', 'libcublasLt.so.12', 'libnvblas.so.12'].map(
    (name) => `nvidia/cublas/lib/${name}`,
  ),
  'nvidia-headers': ['nvidia/include/cuda.h'],
  'nvidia-twice': ['a/libcudart.so.12', 'b/libcudart.so.12'],
};
const wheelOf = (name: string): Buffer => {
  const paths = [...(librariesOf[name] ?? []), 'nvidia/include/header.h'];
  return writeWheel({
    name,
    version: '12.0',
    files: Object.fromEntries(paths.map((path) => [path, `content of ${path}`])),
  });
};
const runtimePackage = (name: string, version = '12.0'): RuntimePackage => ({
  name,
  version,
  wheels: { 'linux-x64': 'ab'.repeat(32) },
});
const runtime = [runtimePackage('nvidia-cuda-runtime-cu12'), runtimePackage('nvidia-cublas-cu12')];

interface Changes extends Partial<InstallOptions> {
  readonly version?: string;
  readonly runtime?: readonly RuntimePackage[];
}

async function install(archive: Buffer | HearthError, name: BackendName = 'cuda', changes: Changes = {}) {
  const { version: wanted = '1.2.3', runtime, ...other } = changes;
  const packages: InstallOptions['packages'] = {
    resolve: async ({ version = '' }) => ({ version }),
    async download({ reference, resolved, folder: work, onProgress }) {
      downloads.push(`${reference.name}@${reference.version}`);
      const path = join(work, 'file.package');
      if (archive instanceof HearthError) throw archive;
      if (reference.source === 'pypi') integrities.push(resolved.integrity);
      await writeFile(path, reference.source === 'pypi' ? wheelOf(reference.name) : archive);
      onProgress(archive.length, archive.length);
      return path;
    },
  };
  const { signal } = new AbortController();
  const seen: InstallProgress[] = [];
  const options = { folder, machine, packages, signal, ...other };
  const backends = [{ name, version: wanted }];
  for await (const progress of installBackends({ backends, runtime }, options)) seen.push(progress);
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

test('of an engine for vision models, the one file is kept', async () => {
  const arm = { platform: 'linux', arch: 'arm64' };
  const archive = writeTarGz(
    ['package/package.json', 'package/index.node'].map((path) => ({ path, content: `content of ${path}` })),
  );
  await install(archive, 'vision-vulkan', { machine: arm });
  expect(readdirSync(join(folder, 'vision-vulkan-1.2.3'))).toEqual(['index.node']);
  expect(downloads).toEqual(['@fugood/node-llama-linux-arm64-vulkan@1.2.3']);
  await expect(install(complete, 'vision-cuda')).rejects.toThrow('exactly one file of vision-cuda');
});

test('several backends are installed one after the other, and those before a failure stay', async () => {
  const { signal } = new AbortController();
  const packages: InstallOptions['packages'] = {
    resolve: async () => ({ version: '' }),
    async download({ reference, folder: work }) {
      if (reference.name.startsWith('@fugood/')) throw new HearthError('bad_request', 'no such package');
      const path = join(work, 'file.package');
      await writeFile(path, complete);
      return path;
    },
  };
  const backends = (['cuda', 'vision-cuda'] as const).map((name) => ({ name, version: '1.2.3' }));
  const seen: string[] = [];
  const run = async () => {
    for await (const { status } of installBackends({ backends }, { folder, machine, packages, signal }))
      seen.push(status);
  };
  await expect(run()).rejects.toThrow('no such package');
  expect(readdirSync(folder)).toEqual(['cuda-1.2.3']);
  expect(seen).not.toContain('success');
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

test('what has arrived of an interrupted download stays for the next one', async () => {
  const packages: InstallOptions['packages'] = {
    resolve: async () => ({ version: '' }),
    async download({ folder: work }) {
      await writeFile(join(work, '1.2.3.package.part'), 'part');
      throw new HearthError('registry_failed', 'interrupted');
    },
  };
  await expect(install(complete, 'cuda', { packages })).rejects.toThrow('interrupted');
  expect(readdirSync(folder)).toEqual([`.download-${process.pid}-cuda-1.2.3`]);
  expect(await removeBackend('cuda', folder, machine)).toEqual([]);
  await install(complete);
  expect(readdirSync(folder)).toEqual(['cuda-1.2.3']);
});

test('the libraries of CUDA have folders of their own, and only they are kept', async () => {
  const seen = await install(packageWith('package/bins/linux-x64-cuda/fallback/libggml-cuda.so'), 'cuda-ext', {
    runtime,
  });
  expect(readdirSync(folder).toSorted()).toEqual([
    'cuda-ext-1.2.3',
    'nvidia-cublas-cu12-12.0',
    'nvidia-cuda-runtime-cu12-12.0',
  ]);
  expect(readdirSync(join(folder, 'nvidia-cublas-cu12-12.0')).toSorted()).toEqual([
    'libcublas.so.12',
    'libcublasLt.so.12',
  ]);
  expect(readFileSync(join(folder, 'nvidia-cublas-cu12-12.0/libcublas.so.12'), 'utf8')).toMatch(
    /^content of .*cublas\.so/,
  );
  expect(seen.at(-1)).toEqual({ status: 'success' });
  // The hash of the table, whatever the index says.
  expect(integrities).toEqual([1, 2].map(() => `sha256-${Buffer.alloc(32, 0xab).toString('base64')}`));
});

test('versions of a backend share the libraries of CUDA', async () => {
  await install(complete, 'cuda-ext', { runtime });
  downloads.length = 0;
  await install(complete, 'cuda-ext', { runtime, version: '1.2.4' });
  expect(downloads).toEqual(['@node-llama-cpp/linux-x64-cuda-ext@1.2.4']);
});

test('a new version of the libraries takes the place of the old one', async () => {
  await install(complete, 'cuda-ext', { runtime });
  await install(complete, 'cuda-ext', { runtime: [runtimePackage('nvidia-cublas-cu12', '12.1')] });
  expect(readdirSync(folder).filter((name) => name.startsWith('nvidia-cublas'))).toEqual(['nvidia-cublas-cu12-12.1']);
  expect(readdirSync(folder)).toContain('nvidia-cuda-runtime-cu12-12.0');
});

test.each(['nvidia-headers', 'nvidia-twice'])(
  'a wheel without its libraries, or with two of a name, is refused: %s',
  async (name) => {
    const changed = { runtime: [runtimePackage(name)] };
    await expect(install(complete, 'cuda-ext', changed)).rejects.toThrow(`does not contain the libraries of ${name}`);
    expect(readdirSync(folder)).toEqual(['cuda-ext-1.2.3']);
  },
);

test('the libraries of CUDA leave with the last backend that needs them', async () => {
  await install(complete, 'cuda-ext', { runtime });
  for (const file of [
    'vision-cuda-1.0.0/index.node',
    'nvidia-cublas-13.0/libcublas.so.13',
    'cuda-1.0.0/libggml-cuda.so',
  ])
    putFile(file);
  await removeBackend('cuda', folder, machine);
  expect(readdirSync(folder).toSorted()).toEqual([
    'cuda-ext-1.2.3',
    'nvidia-cublas-cu12-12.0',
    'nvidia-cuda-runtime-cu12-12.0',
    'vision-cuda-1.0.0',
  ]);
  await removeBackend('cuda-ext', folder, machine);
  expect(readdirSync(folder)).toEqual([]);
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

test.each([
  ['a backend takes its vision engine along', 'cuda', ['vision-vulkan-1.0.0']],
  ['a vision engine can be removed alone', 'vision-cuda', ['cuda-1.0.0', 'vision-vulkan-1.0.0']],
  [
    'a vision engine without a backend is removed by the name of the backend',
    'vulkan',
    ['cuda-1.0.0', 'vision-cuda-1.0.0'],
  ],
])('%s', async (_, name, remaining) => {
  const files = ['cuda-1.0.0/libggml-cuda.so', 'vision-cuda-1.0.0/index.node', 'vision-vulkan-1.0.0/index.node'];
  for (const file of files) putFile(file);
  expect(await removeBackend(name, folder, machine)).not.toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual(remaining);
});

test('a vision engine stays as long as a backend of its family does', async () => {
  for (const file of ['cuda-1.0.0/libggml-cuda.so', 'cuda-ext-1.0.0/libggml-cuda.so', 'vision-cuda-1.0.0/index.node'])
    putFile(file);
  await removeBackend('cuda', folder, machine);
  expect(readdirSync(folder).toSorted()).toEqual(['cuda-ext-1.0.0', 'vision-cuda-1.0.0']);
});

function putFile(path: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), '');
}
