import { describe, expect, test } from 'vitest';
import type { EngineBuildName } from '../protocol/messages.ts';
import type { FoundBackend } from './find-backends.ts';
import { planBackends, planVisionBackends } from './plan-backends.ts';

const found = (name: string, fields: Partial<FoundBackend> = {}): FoundBackend => ({
  name,
  engine: name.startsWith('vision-') ? 'vision' : 'text',
  origin: 'installed',
  folder: '/b',
  libraries: [`/b/${name}.so`],
  outdated: false,
  ...fields,
});
const all = [found('hip', { origin: 'own' }), found('vulkan'), found('cuda'), found('cuda-ext')];
const linux = { platform: 'linux', arch: 'x64' };
const apple = { platform: 'darwin', arch: 'arm64' };
const namesOf = (build: EngineBuildName, backends: readonly FoundBackend[], machine = linux) =>
  planBackends({ build, found: backends, cudaOrder: ['cuda-ext', 'cuda'], machine }).map(({ name }) => name);

test('own libraries are first, then CUDA in its order, then the others, then the CPU', () => {
  expect(namesOf('auto', all)).toEqual(['hip', 'cuda-ext', 'cuda', 'vulkan', 'cpu']);
});

test.each([
  ['cpu', ['cpu']],
  ['cuda', ['cuda-ext', 'cuda', 'cpu']],
  ['vulkan', ['vulkan', 'cpu']],
] as const)('the setting %s: %j', (build, names) => {
  expect(namesOf(build, all)).toEqual(names);
});

test('a backend of another engine version is not used', () => {
  expect(namesOf('auto', [found('cuda', { outdated: true }), found('vulkan')])).toEqual(['vulkan', 'cpu']);
});

test('Metal is part of the engine on Apple silicon', () => {
  expect(namesOf('auto', [], apple)).toEqual(['metal', 'cpu']);
  expect(namesOf('cpu', [], apple)).toEqual(['cpu']);
  expect(namesOf('auto', [])).toEqual(['cpu']);
});

describe('vision models', () => {
  const engines = [...all, found('vision-vulkan'), found('vision-cuda')];
  const visionNames = (build: EngineBuildName, backends: readonly FoundBackend[], { cudaFits = true } = {}) =>
    planVisionBackends({ build, found: backends, cudaFits, machine: linux }).map(({ name }) => name);

  test('use the engines for them, with the file of each, and then the CPU', () => {
    expect(planVisionBackends({ build: 'auto', found: engines, cudaFits: true, machine: linux })).toEqual([
      { name: 'cuda', build: 'auto', libraries: [], engine: '/b/vision-cuda.so' },
      { name: 'vulkan', build: 'auto', libraries: [], engine: '/b/vision-vulkan.so' },
      { name: 'cpu', build: 'cpu', libraries: [] },
    ]);
    expect(namesOf('auto', engines)).toEqual(['hip', 'cuda-ext', 'cuda', 'vulkan', 'cpu']);
  });

  test('try a CUDA build that does not fit the GPU last', () => {
    expect(visionNames('auto', engines, { cudaFits: false })).toEqual(['vulkan', 'cuda', 'cpu']);
  });

  test.each([
    ['cpu', ['cpu']],
    ['cuda', ['cuda', 'cpu']],
    ['vulkan', ['vulkan', 'cpu']],
  ] as const)('obey the setting %s', (build, names) => {
    expect(visionNames(build, engines)).toEqual(names);
  });

  test('use only the CPU without an engine of the right version', () => {
    expect(visionNames('auto', [...all, found('vision-cuda', { outdated: true })])).toEqual(['cpu']);
  });

  test('use Metal on Apple silicon', () => {
    const plan = planVisionBackends({ build: 'auto', found: [], cudaFits: true, machine: apple });
    expect(plan.map(({ name }) => name)).toEqual(['metal', 'cpu']);
  });
});
