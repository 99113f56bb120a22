import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { engineVersion, thisMachine } from './engine-package.ts';
import { findBackends } from './find-backends.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-backends-'));
});

const put = (path: string): void => {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), '');
};
const find = (root = folder) =>
  findBackends({ folder: root, machine: thisMachine })
    .filter(({ origin }) => origin !== 'package')
    .map(({ name, origin, outdated }) => `${name} ${origin}${outdated ? ' outdated' : ''}`);

test('libraries in the folder are the user’s own, except those that the engine has', () => {
  for (const name of ['hip.so', 'sycl.dll', 'base.so', 'cpu.so', 'cpu-zen4.so', 'cuda.so.1', 'cuda.txt'])
    put(`libggml-${name}`);
  put('libllama.so');
  expect(find()).toEqual(['hip own', 'sycl own']);
  expect(findBackends({ folder, machine: thisMachine })[0]?.libraries).toEqual([join(folder, 'libggml-hip.so')]);
});

test('installed backends have a folder with name and version', () => {
  put(`cuda-ext-${engineVersion()}/libggml-cuda.so`);
  put('cuda-0.1.0/libggml-cuda.so');
  expect(find().toSorted()).toEqual(['cuda installed outdated', 'cuda-ext installed']);
});

test('engines for vision models have the version of their own engine', () => {
  put(`vision-cuda-${engineVersion('vision')}/index.node`);
  put(`vision-vulkan-${engineVersion()}/index.node`);
  expect(find().toSorted()).toEqual(['vision-cuda installed', 'vision-vulkan installed outdated']);
  const [{ engine, libraries } = {}] = findBackends({ folder, machine: thisMachine });
  expect({ engine, libraries }).toEqual({
    engine: 'vision',
    libraries: [join(folder, `vision-cuda-${engineVersion('vision')}`, 'index.node')],
  });
});

test('other folders are ignored', () => {
  put('.download-1-abc/backend/libggml-cuda.so');
  put('unknown-1.0.0/libggml-cuda.so');
  put(`vulkan-${engineVersion()}/libggml-cuda.so`);
  put('libggml-hip.so/file');
  expect(find()).toEqual([]);
  expect(find(join(folder, 'missing'))).toEqual([]);
});

test('a backend has the folders of the CUDA libraries that it needs; the user’s own has none', () => {
  put(`cuda-ext-${engineVersion()}/libggml-cuda.so`);
  put(`cuda-${engineVersion()}/libggml-cuda.so`);
  put('libggml-cuda.so');
  for (const name of ['nvidia-cuda-runtime-cu12-12.9.79', 'nvidia-cublas-cu12-12.9.1.4', 'nvidia-cublas-cu12-12.1.3.1'])
    put(`${name}/library`);
  const found = findBackends({ folder, machine: thisMachine }).filter(({ origin }) => origin !== 'package');
  expect(Object.fromEntries(found.map(({ name, origin, runtime }) => [`${origin} ${name}`, runtime]))).toEqual({
    'own cuda': undefined,
    'installed cuda': undefined,
    // Another version of a library serves only if the wanted one is not there.
    'installed cuda-ext': ['nvidia-cuda-runtime-cu12-12.9.79', 'nvidia-cublas-cu12-12.9.1.4'].map((name) =>
      join(folder, name),
    ),
  });
});
