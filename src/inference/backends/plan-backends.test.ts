import { expect, test } from 'vitest';
import type { EngineBuildName } from '../protocol/messages.ts';
import type { FoundBackend } from './find-backends.ts';
import { planBackends, planVisionBackends } from './plan-backends.ts';

const found = (name: string, fields: Partial<FoundBackend> = {}): FoundBackend => ({
  name,
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

test('the runner of a vision model finds its package itself', () => {
  expect(planVisionBackends('auto').map(({ build }) => build)).toEqual(['auto', 'cpu']);
  expect(planVisionBackends('cpu').map(({ build }) => build)).toEqual(['cpu']);
});
