import { expect, test } from 'vitest';
import { byteFloatValues } from './byte-floats.ts';
import { dequantize, findQuantization, type ScaledFormat } from './dequantize.ts';
import type { SourceTensor } from './source-tensors.ts';

function tensorOf(name: string, type: SourceTensor['type'], shape: readonly number[], bytes: Buffer): SourceTensor {
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  return {
    name,
    type,
    shape,
    offset: 0,
    bytes: bytes.length,
    file: { name: 'model.safetensors', size: bytes.length, read },
  };
}

const floats = (...values: number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);
/** The byte of 1, 2, 3 … in F8_E4M3. */
const small = [0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c, 0x4e, 0x50];
const blocks: ScaledFormat = { suffix: '_scale_inv', block: [2, 2] };

function scaled(shape: readonly number[], scale: readonly number[], scales: Buffer, quantization = blocks) {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = Buffer.from(Array.from({ length: count }, (_, index) => small[index % 8] as number));
  return dequantize(
    [
      tensorOf('a.weight', 'F8_E4M3', shape, values),
      tensorOf(`a.weight${quantization.suffix}`, 'F32', scale, scales),
      tensorOf('a.input_scale', 'F32', [], floats(1)),
      tensorOf('norm.weight', 'BF16', [2], Buffer.alloc(4)),
    ],
    quantization,
  );
}

async function valuesOf(
  tensor: SourceTensor | undefined,
  start = 0,
  end = (tensor?.bytes ?? 0) / 4,
): Promise<number[]> {
  const bytes = await tensor?.file.read(4 * start, 4 * (end - start));
  return [...new Float32Array(new Uint8Array(bytes ?? []).buffer)];
}

test('the values of E4M3 and E5M2 are those of the format', () => {
  const values = (type: 'F8_E4M3' | 'F8_E5M2', ...bits: number[]) => bits.map((byte) => byteFloatValues(type)[byte]);
  expect(values('F8_E4M3', 0x00, 0x01, 0x08, 0x38, 0x7e, 0xfe, 0x7f)).toEqual([
    0,
    2 ** -9,
    2 ** -6,
    1,
    448,
    -448,
    Number.NaN,
  ]);
  expect(values('F8_E5M2', 0x01, 0x3c, 0x7b, 0x7c, 0xfc, 0x7d)).toEqual([
    2 ** -16,
    1,
    57_344,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NaN,
  ]);
  expect([0, 127, 130].map((byte) => byteFloatValues('F8_E8M0')[byte])).toEqual([2 ** -127, 1, 8]);
});

test('each block has its scale, also a block that is cut off; other tensors stay, and scales are left out', async () => {
  const tensors = scaled([3, 3], [2, 2], floats(1, 10, 100, 1000));
  expect(tensors.map(({ name, type }) => [name, type])).toEqual([
    ['a.weight', 'F32'],
    ['norm.weight', 'BF16'],
  ]);
  expect(await valuesOf(tensors[0])).toEqual([1, 2, 30, 4, 5, 60, 700, 800, 1000]);
  // A part of the values, from the middle of a row.
  expect(await valuesOf(tensors[0], 4, 8)).toEqual([5, 60, 700, 800]);
});

test.each([
  [[2, 3], [], floats(2), [2, 4, 6, 8, 10, 12]],
  [[2, 3], [2], floats(1, 10), [1, 2, 3, 40, 50, 60]],
  [[2, 3], [2, 1], floats(1, 10), [1, 2, 3, 40, 50, 60]],
  [[2, 1, 2], [2, 1, 1], floats(1, 10), [1, 2, 30, 40]],
])('a tensor %j with scales %j', async (shape, scale, scales, expected) => {
  const [tensor] = scaled(shape, scale, scales, { suffix: '_scale', block: undefined });
  expect(await valuesOf(tensor)).toEqual(expected);
});

test('scales that do not fit, and weights without scales, are refused', () => {
  expect(() => scaled([3, 3], [3, 2], floats(1, 1, 1, 1, 1, 1))).toThrow('do not match');
  expect(() => scaled([2, 2], [2, 2, 2], floats(1))).toThrow('do not match');
  expect(() => dequantize([tensorOf('a.weight', 'F8_E4M3', [1], Buffer.alloc(1))], blocks)).toThrow('has no scale');
});

test('formats are recognized by config.json', () => {
  expect(findQuantization({ quant_method: 'fp8', weight_block_size: [128, 128] })).toEqual({
    suffix: '_scale_inv',
    block: [128, 128],
  });
  expect(findQuantization({ quant_method: 'modelopt', quant_algo: 'FP8' })?.suffix).toBe('_scale');
  expect(findQuantization({ quant_method: 'modelopt', quant_algo: 'NVFP4' })).toBeUndefined();
  const groups = (type: string, bits: number) => ({
    group_0: { weights: { type, num_bits: bits, strategy: 'channel' } },
  });
  const compressed = { quant_method: 'compressed-tensors', format: 'float-quantized' };
  expect(findQuantization({ ...compressed, config_groups: groups('float', 8) })?.suffix).toBe('_scale');
  expect(findQuantization({ ...compressed, config_groups: groups('int', 8) })).toBeUndefined();
  expect(findQuantization({ quant_method: 'awq' })).toBeUndefined();
  expect(() => findQuantization({ quant_method: 'fp8', weight_block_size: [0, 128] })).toThrow('not a pair of numbers');
});
