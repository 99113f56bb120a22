import koffi from 'koffi';
import { expect, test } from 'vitest';
import type { Address, DevicePointer } from '../llama/bindings/pointers.ts';
import { overridesOf, packOverrides } from './tensor-overrides.ts';

const api = {
  deviceCount: () => 2,
  deviceGet: (index: number) => BigInt(index) as DevicePointer,
  deviceName: (device: DevicePointer) => ['CUDA0', 'CPU'][Number(device)] as string,
  deviceBufferType: (device: DevicePointer) => (device + 1000n) as Address,
};

test('the overrides of the options come before those of the experts', () => {
  const overrides = [{ pattern: 'a', device: 'CUDA0' }];
  const patterns = overridesOf({ overrides, expertLayers: 2 }).map(({ pattern, device }) => [pattern, device]);
  expect(patterns).toEqual([
    ['a', 'CUDA0'],
    [expect.stringContaining('blk\\.0\\.'), 'CPU'],
    [expect.stringContaining('blk\\.1\\.'), 'CPU'],
  ]);
});

test.each([
  ['blk.1.ffn_up_exps.weight', true],
  ['blk.1.ffn_gate_up_exps.weight', true],
  ['blk.1.ffn_down_chexps.weight', true],
  ['blk.1.ffn_up_exps.bias', true],
  ['blk.11.ffn_up_exps.weight', false],
  ['blk.1.ffn_up_shexp.weight', false],
  ['blk.1.ffn_gate_inp.weight', false],
])('%s is an expert of the second layer: %s', (name, expected) => {
  const [, second] = overridesOf({ overrides: [], expertLayers: 2 });
  expect(new RegExp(second?.pattern ?? '').test(name)).toBe(expected);
});

test('they are packed as pairs of a text and a buffer type, with an empty pair at the end', () => {
  const [first, cpu, second, gpu, ...rest] = packOverrides(api, [
    { pattern: 'ab', device: 'CPU' },
    { pattern: 'c', device: 'CUDA0' },
  ]);
  expect([cpu, gpu, ...rest.slice(0, 2)]).toEqual([1001n, 1000n, 0n, 0n]);
  expect([first, second].map((address) => koffi.decode(address as bigint, 'char', -1))).toEqual(['ab', 'c']);
});

test('an unknown device is an error that names the known ones', () => {
  expect(() => packOverrides(api, [{ pattern: 'a', device: 'ROCm0' }])).toThrow(
    'override_tensor: there is no device "ROCm0", only CUDA0, CPU',
  );
});
