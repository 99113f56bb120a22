import { expect, test } from 'vitest';
import { hasMetal, thisMachine } from '../../backends/engine-package.ts';
import type { DevicePointer } from './bindings/pointers.ts';
import { findGpus, listDevices } from './list-devices.ts';

const cpu = 0;
const gpu = 1;
const integrated = 2;

function apiOf(...types: readonly number[]): Parameters<typeof listDevices>[0] {
  return {
    deviceCount: () => types.length,
    deviceGet: (index) => BigInt(index) as DevicePointer,
    deviceType: (device) => types[Number(device)] ?? cpu,
    deviceName: (device) => `D${device}`,
    deviceDescription: (device) => ` Device ${device} `,
    deviceMemory(_, free, total) {
      free[0] = 1;
      total[0] = 2;
    },
  };
}
const gpusOf = (...types: readonly number[]) => findGpus(apiOf(...types)).map(({ name }) => name);

test('each device with its memory', () => {
  expect(listDevices(apiOf(cpu))).toEqual([
    { name: 'D0', description: 'Device 0', isGpu: false, isUnified: false, freeBytes: 1, totalBytes: 2 },
  ]);
});

test('the memory of an integrated GPU is main memory', () => {
  expect(listDevices(apiOf(integrated))[0]).toMatchObject({ isGpu: true, isUnified: true });
});

test.skipIf(hasMetal(thisMachine))('integrated GPUs are used only if there are no others, as in llama.cpp', () => {
  expect(gpusOf(cpu)).toEqual([]);
  expect(gpusOf(integrated, cpu)).toEqual(['D0']);
  expect(gpusOf(integrated, gpu, cpu, gpu)).toEqual(['D1', 'D3']);
});
