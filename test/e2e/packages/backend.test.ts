// `hearth backend` with the real npm and pip, and an index on this machine.

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageEnvironment } from '../../../src/base/config/child-environment.ts';
import { systemClock } from '../../../src/base/time/clock.ts';
import { packageOf } from '../../../src/inference/backends/backend-table.ts';
import { type RuntimePackage, runtimeOf } from '../../../src/inference/backends/cuda-runtime.ts';
import { engineVersion, thisMachine } from '../../../src/inference/backends/engine-package.ts';
import { installBackends } from '../../../src/inference/backends/install-backend.ts';
import { createPackageClient } from '../../../src/models/package-client/package-client.ts';
import { hearth } from '../../support/command.ts';
import { type IndexedPackage, type PackageIndex, startPackageIndex } from '../../support/packages/package-index.ts';
import { wheelName, writeNpmTarball, writeWheel } from '../../support/packages/write-packages.ts';

const version = engineVersion();
const visionVersion = engineVersion('vision');
const name = packageOf('vulkan', thisMachine);
const visionName = packageOf('vision-vulkan', thisMachine);
if (name === undefined) console.warn('no backend is published for this kind of machine: its installation is skipped');

let index: PackageIndex;
let home: string;
beforeAll(async () => {
  index = await startPackageIndex();
  home = mkdtempSync(join(tmpdir(), 'hearth-backend-'));
});
afterAll(async () => {
  await index.stop();
  rmSync(home, { recursive: true, force: true });
});

const run = (...words: string[]) =>
  hearth(['backend', ...words], { url: 'http://127.0.0.1:9', environment: { HOME: home, ...index.environment } });
const installed = (): string[] => readdirSync(join(home, '.hearth/backends'));

function publish(wrongHash: boolean, changes: Partial<IndexedPackage> = {}): void {
  if (name === undefined) return;
  const folder = `bins/${name.replace(/^.*\//, '')}`;
  const files = { [`${folder}/libggml-vulkan.so`]: 'library', [`${folder}/libggml-base.so`]: randomBytes(300_000) };
  index.add({
    source: 'npm',
    name,
    version,
    archive: writeNpmTarball({ name, version, files }),
    wrongHash,
    ...changes,
  });
}

function publishVision(wrongHash: boolean): void {
  if (visionName === undefined) return;
  const archive = writeNpmTarball({ name: visionName, version: visionVersion, files: { 'index.node': 'engine' } });
  index.add({ source: 'npm', name: visionName, version: visionVersion, archive, wrongHash });
}

test.skipIf(name === undefined)('a package with a wrong checksum is refused, and nothing stays', async () => {
  publish(true);
  const { code, stderr } = await run('add', 'vulkan');
  expect(code).toBe(1);
  expect(stderr).toMatch(/integrity|hash/i);
  expect(installed()).toEqual([]);
});

test.skipIf(name === undefined)('a backend whose vision engine is refused stays, and can be completed', async () => {
  publish(false);
  publishVision(true);
  const { code, stderr } = await run('add', 'vulkan');
  expect(code).toBe(1);
  expect(stderr).toMatch(/integrity|hash/i);
  expect(installed()).toEqual([`vulkan-${version}`]);
});

test.skipIf(name === undefined)('a backend is added for text and vision models, listed and removed', async () => {
  publish(false);
  publishVision(false);
  const added = await run('add', 'vulkan');
  expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('success') });
  expect(installed().toSorted()).toEqual([`vision-vulkan-${visionVersion}`, `vulkan-${version}`]);
  const { stdout } = await run('list');
  for (const line of [`vulkan +${version} +installed `, `vision-vulkan +${visionVersion} +installed `])
    expect(stdout).toMatch(new RegExp(`^${line.replaceAll('.', '\\.')}`, 'm'));
  expect(await run('remove', 'vulkan')).toMatchObject({ code: 0, stdout: 'removed vulkan\n' });
  expect(installed()).toEqual([]);
});

test.skipIf(name === undefined)('a download that breaks continues where it ended', async () => {
  publish(false, { breakAfter: 130_000 });
  publishVision(false);
  index.downloads.length = 0;
  expect(await run('add', 'vulkan')).toMatchObject({ code: 0, stderr: expect.stringContaining('success') });
  const file = `${name?.replace(/^.*\//, '')}-${version}.tgz`;
  expect(index.downloads.slice(0, 3)).toEqual([
    file,
    expect.stringMatching(`^${file} from [0-9]+$`),
    expect.stringMatching(`^${file} from [0-9]+$`),
  ]);
  expect(await run('remove', 'vulkan')).toMatchObject({ code: 0 });
});

const machine = `${thisMachine.platform}-${thisMachine.arch}`;

function publishRuntime(name: string, runtimeVersion: string, changes: Partial<IndexedPackage> = {}): RuntimePackage {
  const files = { 'nvidia/lib/libcudart.so.12': randomBytes(300_000), 'nvidia/include/cuda.h': 'header' };
  const archive = writeWheel({ name, version: runtimeVersion, files });
  index.add({ source: 'pypi', name, version: runtimeVersion, archive, ...changes });
  return { name, version: runtimeVersion, wheels: { [machine]: createHash('sha256').update(archive).digest('hex') } };
}

test('libraries of CUDA are downloaded as pip finds them, and continue where the download broke', async () => {
  const folder = join(home, 'runtime');
  const runtime = publishRuntime('nvidia-test-runtime', '12.0.1', { breakAfter: 130_000 });
  const environment = packageEnvironment({ ...process.env, ...index.environment });
  const packages = createPackageClient({ environment, clock: systemClock });
  const { signal } = new AbortController();
  index.downloads.length = 0;
  const options = { folder, machine: thisMachine, packages, signal };
  const seen: string[] = [];
  for await (const { status } of installBackends({ backends: [], runtime: [runtime] }, options)) seen.push(status);
  expect(seen.at(-1)).toBe('success');
  expect(readdirSync(join(folder, 'nvidia-test-runtime-12.0.1'))).toEqual(['libcudart.so.12']);
  const file = wheelName(runtime);
  expect(index.downloads.slice(0, 2)).toEqual([file, expect.stringMatching(`^${file} from [0-9]+$`)]);
});

const cudaName = packageOf('cuda', thisMachine);

test.skipIf(cudaName === undefined)('a library of CUDA that is not the one of NVIDIA is refused', async () => {
  // The build depends on the GPU of this machine.
  const names = ['cuda', 'cuda-ext', 'vision-cuda'] as const;
  for (const backend of names) {
    const backendName = packageOf(backend, thisMachine) ?? '';
    const backendVersion = backend === 'vision-cuda' ? visionVersion : version;
    const files = { [backend === 'vision-cuda' ? 'index.node' : 'bins/libggml-cuda.so']: 'library' };
    const archive = writeNpmTarball({ name: backendName, version: backendVersion, files });
    index.add({ source: 'npm', name: backendName, version: backendVersion, archive });
  }
  for (const wanted of runtimeOf(names, thisMachine)) publishRuntime(wanted.name, wanted.version);
  const { code, stderr } = await run('add', 'cuda');
  expect(code).toBe(1);
  expect(stderr).toMatch(/libraries of CUDA: packages of PyPI/);
  expect(stderr).toMatch(/does not match the hash/);
  expect(installed().filter((folder) => folder.startsWith('nvidia-'))).toEqual([]);
  // The libraries of the system need no package.
  expect(await run('add', 'cuda', '--system')).toMatchObject({ code: 0, stderr: expect.stringContaining('success') });
});

test('an unknown backend is refused with the known ones', async () => {
  expect(await run('add', 'tpu')).toMatchObject({ code: 1, stderr: expect.stringContaining('choose cuda or vulkan') });
  expect(await run('remove', 'tpu')).toMatchObject({ code: 1, stderr: expect.stringContaining('is not installed') });
});
