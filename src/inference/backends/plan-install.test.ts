import { expect, test } from 'vitest';
import type { NvidiaGpu } from './choose-cuda-build.ts';
import { type InstallFacts, planInstall } from './plan-install.ts';

const linux = { platform: 'linux', arch: 'x64' };
const arm = { platform: 'linux', arch: 'arm64' };
const windows = { platform: 'win32', arch: 'x64' };
const versions = { text: '1.0.0', vision: '2.0.0' };
const gpu = (computeCapability: number | undefined, driver = '580.1'): NvidiaGpu => ({
  name: 'GPU',
  driver,
  computeCapability,
  totalBytes: 1,
  freeBytes: 1,
});
const plan = (family: 'cuda' | 'vulkan', facts: Partial<InstallFacts> = {}) =>
  planInstall(family, { machine: linux, nvidia: [], versions, usesSystem: false, ...facts });
const namesOf = (family: 'cuda' | 'vulkan', facts: Partial<InstallFacts> = {}) =>
  plan(family, facts).wanted.backends.map(({ name }) => name);

test('both engines get the backend, each in its version', () => {
  expect(plan('vulkan').wanted.backends).toEqual([
    { name: 'vulkan', version: '1.0.0' },
    { name: 'vision-vulkan', version: '2.0.0' },
  ]);
});

test.each([
  ['no facts', [], ['cuda', 'vision-cuda']],
  ['Ada', [gpu(8.9)], ['cuda', 'vision-cuda']],
  ['Hopper, whose code the driver compiles', [gpu(9)], ['cuda-ext', 'vision-cuda']],
  ['Ampere, which only the text builds have', [gpu(8)], ['cuda-ext']],
  ['one GPU of two', [gpu(8.9), gpu(8)], ['cuda-ext']],
  ['an unknown GPU', [gpu(undefined)], ['cuda', 'vision-cuda']],
] satisfies [string, NvidiaGpu[], string[]][])('CUDA, %s: %j', (_, nvidia, names) => {
  expect(namesOf('cuda', { nvidia })).toEqual(names);
});

test('what is left out is named, with the next step', () => {
  expect(plan('cuda', { nvidia: [gpu(8)] }).notes[1]).toMatch(
    /^leaving out vision-cuda: .*`hearth backend add vulkan`$/,
  );
});

const cuda12 = ['nvidia-cuda-runtime-cu12', 'nvidia-cublas-cu12'];
const cuda13 = ['nvidia-cuda-runtime', 'nvidia-cublas'];

test.each<[string, 'cuda' | 'vulkan', Partial<InstallFacts>, string[] | undefined]>([
  ['RTX 4090: both engines', 'cuda', { nvidia: [gpu(8.9)] }, [...cuda13, ...cuda12, 'nvidia-nccl-cu12']],
  ['H200: CUDA 12 once', 'cuda', { nvidia: [gpu(9)] }, [...cuda12, 'nvidia-nccl-cu12']],
  ['A100: no engine for images', 'cuda', { nvidia: [gpu(8)] }, cuda12],
  ['RTX 4090 on Windows: without NCCL', 'cuda', { machine: windows, nvidia: [gpu(8.9)] }, [...cuda13, ...cuda12]],
  ['arm64: no packages', 'cuda', { machine: arm }, []],
  ['--system', 'cuda', { usesSystem: true }, undefined],
  ['Vulkan', 'vulkan', {}, undefined],
])('the libraries of CUDA, %s', (_, family, facts, names) => {
  expect(plan(family, facts).wanted.runtime?.map(({ name }) => name)).toEqual(names);
});

test('a note says where the libraries of CUDA come from', () => {
  expect(plan('cuda').notes.at(-1)).toBe('libraries of CUDA: packages of PyPI');
  expect(plan('cuda', { machine: arm }).notes.at(-1)).toMatch(/^libraries of CUDA: the system/);
});

test('a machine with packages for one engine gets those', () => {
  const { wanted, notes } = plan('vulkan', { machine: arm });
  expect(wanted).toEqual({ backends: [{ name: 'vision-vulkan', version: '2.0.0' }] });
  expect(notes[0]).toBe('leaving out vulkan: there is no package for linux arm64');
});

test('without the engine for vision models, there is nothing to add to it', () => {
  const without = { versions: { ...versions, vision: 'unknown' } };
  expect(namesOf('vulkan', without)).toEqual(['vulkan']);
  expect(() => plan('vulkan', { ...without, machine: arm })).toThrow(/HEARTH_BACKENDS/);
});

test('a machine without packages is refused', () => {
  expect(() => plan('cuda', { machine: { platform: 'darwin', arch: 'arm64' } })).toThrow(
    'there is no package of the backend cuda for darwin arm64',
  );
});
