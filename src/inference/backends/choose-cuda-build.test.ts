import { expect, test } from 'vitest';
import { adviseFaster, fitsCudaBuild, type NvidiaGpu, orderCudaBuilds } from './choose-cuda-build.ts';

const gpu = (computeCapability: number | undefined, driver: string): NvidiaGpu => ({
  name: 'GPU',
  driver,
  computeCapability,
  totalBytes: 1,
  freeBytes: 1,
});

test.each([
  ['RTX 4090, recent driver', 8.9, '580.65.06', 'cuda'],
  ['RTX 3090, recent driver', 8.6, '590.10', 'cuda'],
  ['RTX 5090, recent driver', 12, '580.65.06', 'cuda'],
  ['RTX 4090, driver of CUDA 12', 8.9, '550.54.14', 'cuda-ext'],
  ['RTX 4090: machine code of an earlier version of its generation', 8.9, '535.183.01', 'cuda-ext'],
  ['A100: the driver is too old for the newer PTX', 8, '580.65.06', 'cuda-ext'],
  ['T4 with a driver that compiles both', 7.5, '590.10', 'cuda'],
  ['GTX 970: too old for the newer PTX', 5.2, '590.10', 'cuda-ext'],
  ['H200: the driver is too old for the newer PTX', 9, '580.65.06', 'cuda-ext'],
  ['H200 with a driver that compiles both', 9, '590.10', 'cuda'],
  ['unknown capability', undefined, '580.65.06', 'cuda'],
  ['unknown driver', 8.9, '', 'cuda'],
])('%s: %s with %s gets %s', (_, capability, driver, name) => {
  expect(orderCudaBuilds([gpu(capability, driver)])[0]).toBe(name);
});

test('without facts, the order is that of the table', () => {
  expect(orderCudaBuilds([])).toEqual(['cuda', 'cuda-ext']);
});

test('the build must run on all GPUs', () => {
  const driver = '580.65.06';
  expect(orderCudaBuilds([gpu(8.9, driver), gpu(8.6, driver)])[0]).toBe('cuda');
  expect(orderCudaBuilds([gpu(8.9, driver), gpu(6.1, driver)])[0]).toBe('cuda-ext');
});

test('no build fits a GPU or a driver that is too old', () => {
  for (const name of ['cuda', 'cuda-ext'] as const) {
    expect(fitsCudaBuild(name, gpu(3.5, '580.65.06'))).toBe(false);
    expect(fitsCudaBuild(name, gpu(8, '535.183.01'))).toBe(false);
    expect(fitsCudaBuild(name, gpu(8.9, '470.256.02'))).toBe(false);
    expect(fitsCudaBuild(name, gpu(undefined, ''))).toBe(true);
  }
});

test.each([
  ['machine code', 'cuda', 8.9, '580.65.06', undefined],
  ['machine code of its generation', 'cuda-ext', 8.9, '550.54.14', undefined],
  ['Vulkan', 'vulkan', 8.9, '580.65.06', 'hearth backend add cuda'],
  ['Vulkan, and no build fits', 'vulkan', 6, '535.183.01', undefined],
  [
    'compiled code, and no build has machine code',
    'cuda-ext',
    9,
    '580.65.06',
    'build the backend for compute capability 9.0 (docs/gpu.md)',
  ],
  ['compiled code, and the other build has machine code', 'cuda-ext', 12, '580.65.06', 'hearth backend add cuda'],
  [
    'compiled code because of the driver',
    'cuda-ext',
    12,
    '575.1',
    'update the NVIDIA driver to 580 or newer, then hearth backend add cuda',
  ],
  ['an unknown GPU', 'cuda', undefined, '', undefined],
  ['a backend that is not in the table', 'hip', 9, '580.65.06', undefined],
])('what makes it faster, %s: %s with %s and %s', (_, backend, capability, driver, advice) => {
  expect(adviseFaster(backend, gpu(capability, driver))).toBe(advice);
});
