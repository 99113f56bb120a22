import { expect, test } from 'vitest';
import type { EngineDevice } from '../protocol/engine-description.ts';
import type { NvidiaGpu } from './choose-cuda-build.ts';
import { describeMachine, type MachineFacts } from './describe-machine.ts';

const gibibyte = 2 ** 30;
const h200: NvidiaGpu = {
  name: 'NVIDIA H200',
  driver: '580.65.06',
  computeCapability: 9,
  totalBytes: 140 * gibibyte,
  freeBytes: 139 * gibibyte,
};
const old: NvidiaGpu = { ...h200, name: 'NVIDIA K80', driver: '470.1', computeCapability: 3.7 };
const unsupported: NvidiaGpu = { ...h200, name: 'GTX Titan', computeCapability: 3.5 };
const device = (description: string, isGpu = true): EngineDevice => ({
  name: 'X0',
  description,
  isGpu,
  isUnified: false,
  freeBytes: 1,
  totalBytes: 2,
});
const engine = 'engine@1';
const cpuAnswer = { name: 'cpu', answer: { engine, devices: [device('Some CPU', false)] } };
const serving = (name: string, ...devices: string[]) => ({
  name,
  answer: { engine, devices: devices.map((description) => device(description)) },
});
const failing = (name: string, failure: string) => ({ name, answer: { failure } });
const describe = (facts: Partial<MachineFacts>) =>
  describeMachine({
    machine: { platform: 'linux', arch: 'x64' },
    build: 'auto',
    cpu: { name: 'Some CPU', cores: 4, totalBytes: 8, freeBytes: 4 },
    nvidia: [],
    adapters: [],
    visionAnswers: [],
    ...facts,
    answers: [...(facts.answers ?? []), cpuAnswer],
  });
const stepOf = (facts: Partial<MachineFacts>) => describe(facts).devices[1]?.nextStep;

test('a machine without a GPU has its CPU', () => {
  expect(describe({})).toEqual({
    engine,
    devices: [{ kind: 'cpu', backend: 'cpu', name: 'Some CPU', cores: 4, totalBytes: 8, freeBytes: 4 }],
    backends: [{ name: 'cpu' }],
  });
});

test('a served GPU has the facts of ggml and of its driver', () => {
  const { devices } = describe({ nvidia: [h200, h200], answers: [serving('cuda', 'NVIDIA H200', 'NVIDIA H200')] });
  expect(devices.slice(1)).toEqual(
    [1, 2].map(() => ({
      kind: 'gpu',
      name: 'NVIDIA H200',
      totalBytes: 2,
      freeBytes: 1,
      backend: 'cuda',
      driver: '580.65.06',
      computeCapability: 9,
    })),
  );
});

test('a GPU that could be faster says how, unless the user built the backend', () => {
  const answer = serving('cuda-ext', 'NVIDIA H200');
  const fasterWith = (isOwn: boolean) =>
    describe({ nvidia: [h200], answers: [{ ...answer, isOwn }] }).devices[1]?.faster;
  expect(fasterWith(false)).toMatch('compute capability 9.0');
  expect(fasterWith(true)).toBeUndefined();
});

test('the first backend that has a GPU serves', () => {
  const answers = [failing('cuda', 'broken'), serving('cuda-ext'), serving('vulkan', 'NVIDIA H200')];
  const { devices, backends } = describe({ nvidia: [h200], answers });
  expect(devices).toHaveLength(2);
  expect(devices[1]).toMatchObject({ backend: 'vulkan', driver: '580.65.06' });
  expect(backends).toEqual([
    { name: 'cuda', failure: 'broken' },
    { name: 'cuda-ext', failure: 'the backend found no GPU' },
    { name: 'vulkan' },
    { name: 'cpu' },
  ]);
});

test('engines for vision models are listed first, and serve no device', () => {
  const { devices, backends } = describe({
    nvidia: [h200],
    visionAnswers: [failing('vision-cuda', 'libnccl.so.2: cannot open'), serving('vision-vulkan', 'NVIDIA H200')],
  });
  expect(backends).toEqual([
    { name: 'vision-cuda', failure: 'libnccl.so.2: cannot open' },
    { name: 'vision-vulkan' },
    { name: 'cpu' },
  ]);
  expect(devices[1]).toMatchObject({ nextStep: 'hearth backend add cuda' });
});

test('a GPU that the backend does not have is listed too', () => {
  const { devices } = describe({ nvidia: [h200, unsupported], answers: [serving('cuda-ext', 'NVIDIA H200')] });
  expect(devices[2]).toMatchObject({ name: 'GTX Titan', nextStep: 'hearth backend add vulkan' });
});

test('a GPU that is hidden from a backend that works', () => {
  const { devices } = describe({ nvidia: [h200, h200], answers: [serving('cuda-ext', 'NVIDIA H200')] });
  expect(devices[2]?.nextStep).toBe('cuda-ext works, but does not have this GPU: check CUDA_VISIBLE_DEVICES');
});

test('a driver without its program is not a second GPU', () => {
  const unnamed = { name: 'NVIDIA GPU', driver: '580.1', computeCapability: undefined, totalBytes: 0, freeBytes: 0 };
  expect(describe({ nvidia: [unnamed], answers: [serving('cuda', 'NVIDIA H200')] }).devices).toHaveLength(2);
  expect(describe({ nvidia: [unnamed] }).devices).toHaveLength(2);
});

test.each<[string, Partial<MachineFacts>, string]>([
  ['nothing is installed', { nvidia: [h200] }, 'hearth backend add cuda'],
  ['the other build is installed', { nvidia: [h200], answers: [failing('cuda', 'x')] }, 'hearth backend add cuda'],
  [
    'a library is missing',
    { nvidia: [h200], answers: [failing('cuda-ext', 'libcudart.so.12: cannot open shared object file')] },
    'cuda-ext: `hearth backend add cuda` brings the libraries of CUDA that are missing',
  ],
  [
    'the build fails',
    { nvidia: [h200], answers: [failing('cuda-ext', 'signal SIGSEGV')] },
    'hearth backend add vulkan',
  ],
  [
    'everything fails',
    { nvidia: [h200], answers: [failing('cuda-ext', 'signal SIGSEGV'), failing('vulkan', 'x')] },
    'cuda-ext: signal SIGSEGV',
  ],
  ['no CUDA build fits', { nvidia: [unsupported] }, 'hearth backend add vulkan'],
  ['the driver is old', { nvidia: [old] }, 'update the NVIDIA driver: it is 470.1, and the oldest that works is 525'],
  ['the setting forbids it', { nvidia: [h200], build: 'cpu' }, 'set HEARTH_BACKEND to auto'],
  [
    'no package is published',
    { nvidia: [h200], machine: { platform: 'linux', arch: 'arm64' } },
    'build a ggml backend for this machine and set HEARTH_BACKENDS to its folder',
  ],
  ['there is no NVIDIA driver', { adapters: [{ vendor: 'NVIDIA', totalBytes: 0 }] }, 'install the NVIDIA driver'],
  ['it is from AMD', { adapters: [{ vendor: 'AMD', totalBytes: 8 }] }, 'hearth backend add vulkan'],
  [
    'Vulkan lacks its loader',
    { adapters: [{ vendor: 'AMD', totalBytes: 8 }], answers: [failing('vulkan', 'libvulkan.so.1: cannot open')] },
    'vulkan: install the Vulkan loader (on Debian and Ubuntu: libvulkan1) and a driver',
  ],
])('the next step if %s', (_, facts, step) => {
  expect(stepOf(facts)).toBe(step);
});
