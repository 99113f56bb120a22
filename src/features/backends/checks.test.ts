import { describe, expect, test } from 'vitest';
import type { MachineDevice } from '../../inference/backends/describe-machine.ts';
import { judgeDevices, judgeEngine } from './checks.ts';

describe('engine', () => {
  test('an engine that loads is named', () => {
    expect(judgeEngine({ engine: '@node-llama-cpp/linux-x64@3.21.1', backends: [{ name: 'cpu' }] })).toEqual({
      status: 'ok',
      text: 'llama.cpp loads (@node-llama-cpp/linux-x64@3.21.1)',
    });
  });

  test.each([
    ["version `GLIBC_2.34' not found", /glibc/],
    ['it did not respond', /HEARTH_SANDBOX/],
    ['llama.cpp is not installed', /install Hearth again/],
  ])('an engine that fails with "%s" is a problem', (failure, nextStep) => {
    const backends = [
      { name: 'vulkan', failure: 'the backend found no GPU' },
      { name: 'cpu', failure },
    ];
    expect(judgeEngine({ engine: 'unknown', backends })).toEqual({
      status: 'problem',
      text: `llama.cpp does not load: ${failure}`,
      nextStep: expect.stringMatching(nextStep),
    });
  });
});

describe('devices', () => {
  const cpu: MachineDevice = {
    kind: 'cpu',
    name: 'AMD EPYC',
    cores: 8,
    totalBytes: 1e10,
    freeBytes: 1e9,
    backend: 'cpu',
  };
  const gpu: MachineDevice = { kind: 'gpu', name: 'NVIDIA H200', totalBytes: 150e9, freeBytes: 1e9, driver: '580.65' };

  test('a device that a backend serves is ok, whatever other backends do', () => {
    const backends = [{ name: 'vulkan', failure: 'no libvulkan' }, { name: 'cuda' }, { name: 'cpu' }];
    expect(judgeDevices({ devices: [cpu, { ...gpu, backend: 'cuda' }], backends })).toEqual([
      { status: 'ok', text: 'Models are computed by cuda on NVIDIA H200, images are encoded by the CPU.' },
      { status: 'ok', text: 'AMD EPYC, 8 cores' },
      { status: 'ok', text: 'NVIDIA H200, 150 GB, driver 580.65, served by cuda' },
    ]);
  });

  test('a GPU that no backend serves is a warning with the next step', () => {
    const devices = [cpu, { ...gpu, nextStep: 'hearth backend add cuda' }];
    expect(judgeDevices({ devices, backends: [{ name: 'cpu' }] })[2]).toEqual({
      status: 'warning',
      text: 'NVIDIA H200, 150 GB, driver 580.65, not used',
      nextStep: 'hearth backend add cuda',
    });
  });

  test('a GPU that could be faster is a warning with the next step', () => {
    const devices = [cpu, { ...gpu, backend: 'cuda-ext', faster: 'update the driver' }];
    expect(judgeDevices({ devices, backends: [] })[2]).toEqual({
      status: 'warning',
      text: 'NVIDIA H200, 150 GB, driver 580.65, served by cuda-ext, could be faster',
      nextStep: 'update the driver',
    });
  });

  test('a backend that fails without a device is a warning', () => {
    const backends = [{ name: 'vulkan', failure: 'the backend found no GPU' }, { name: 'cpu' }];
    expect(judgeDevices({ devices: [cpu], backends })[2]).toMatchObject({
      status: 'warning',
      text: 'the backend vulkan does not work: the backend found no GPU',
    });
  });
});
