import { describe, expect, test } from 'vitest';
import type { EngineBuildName } from '../protocol/messages.ts';
import type { FoundBackend } from './find-backends.ts';
import { describeAttempt, planBackends, planVisionEngines, withVisionEngines } from './plan-backends.ts';

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
  const plan = (build: EngineBuildName, backends: readonly FoundBackend[], { cudaFits = true } = {}) =>
    withVisionEngines(
      planBackends({ build, found: backends, cudaOrder: ['cuda'], machine: linux }),
      planVisionEngines({ build, found: backends, cudaFits }),
    ).map(describeAttempt);

  test('try every engine for images with each backend, and then the CPU for images', () => {
    expect(plan('auto', [found('vulkan'), found('vision-vulkan'), found('vision-cuda')])).toEqual([
      'vulkan with vision-cuda',
      'vulkan with vision-vulkan',
      'vulkan',
      'cpu with vision-cuda',
      'cpu with vision-vulkan',
      'cpu',
    ]);
    expect(planVisionEngines({ build: 'auto', found: engines, cudaFits: true })).toEqual([
      { name: 'vision-cuda', file: '/b/vision-cuda.so' },
      { name: 'vision-vulkan', file: '/b/vision-vulkan.so' },
    ]);
    expect(namesOf('auto', engines)).toEqual(['hip', 'cuda-ext', 'cuda', 'vulkan', 'cpu']);
  });

  test('try a CUDA build that does not fit the GPU last', () => {
    expect(plan('auto', [found('vision-vulkan'), found('vision-cuda')], { cudaFits: false })).toEqual([
      'cpu with vision-vulkan',
      'cpu with vision-cuda',
      'cpu',
    ]);
  });

  test.each([
    ['cpu', ['cpu']],
    ['cuda', ['cuda with vision-cuda', 'cuda', 'cpu with vision-cuda', 'cpu']],
    ['vulkan', ['vulkan with vision-vulkan', 'vulkan', 'cpu with vision-vulkan', 'cpu']],
  ] as const)('obey the setting %s', (build, names) => {
    const backends = [found('vulkan'), found('cuda'), found('vision-vulkan'), found('vision-cuda')];
    expect(plan(build, backends)).toEqual(names);
  });

  test('use the CPU for images without an engine of the right version', () => {
    expect(plan('auto', [found('cuda'), found('vision-cuda', { outdated: true })])).toEqual(['cuda', 'cpu']);
  });
});
