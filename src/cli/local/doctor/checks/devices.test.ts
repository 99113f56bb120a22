import { expect, test } from 'vitest';
import type { MachineDevice } from '../../../../inference/backends/describe-machine.ts';
import { judgeDevices } from './devices.ts';

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
    { status: 'ok', text: 'AMD EPYC, 8 cores' },
    { status: 'ok', text: 'NVIDIA H200, 150 GB, driver 580.65, served by cuda' },
  ]);
});

test('a GPU that no backend serves is a warning with the next step', () => {
  const devices = [cpu, { ...gpu, nextStep: 'hearth backend add cuda' }];
  expect(judgeDevices({ devices, backends: [{ name: 'cpu' }] })[1]).toEqual({
    status: 'warning',
    text: 'NVIDIA H200, 150 GB, driver 580.65, not used',
    nextStep: 'hearth backend add cuda',
  });
});

test('a backend that fails without a device is a warning', () => {
  const backends = [{ name: 'vulkan', failure: 'the backend found no GPU' }, { name: 'cpu' }];
  expect(judgeDevices({ devices: [cpu], backends })[1]).toMatchObject({
    status: 'warning',
    text: 'the backend vulkan does not work: the backend found no GPU',
  });
});
