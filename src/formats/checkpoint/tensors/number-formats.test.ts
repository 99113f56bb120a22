import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertFloats, toSourceType } from './number-formats.ts';

const floats = (...values: number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);
const words = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16LE(index * 2));
const toHalf = (value: number): number => words(convertFloats(floats(value), 'F32', 'F16'))[0] as number;
const allWords = Buffer.from(Uint16Array.from({ length: 2 ** 16 }, (_, bits) => bits).buffer);
const fromHalf = (bits: number): number =>
  convertFloats(Buffer.from(Uint16Array.of(bits).buffer), 'F16', 'F32').readFloatLE(0);

describe('F16', () => {
  test('every value stays the same on the way to F32 and back', () => {
    const back = words(convertFloats(convertFloats(allWords, 'F16', 'F32'), 'F32', 'F16'));
    const isNan = (bits: number): boolean => (bits & 0x7fff) > 0x7c00;
    expect(back.every((bits, index) => (isNan(index) ? isNan(bits) : bits === index))).toBe(true);
  });

  test.each([
    [1, 0x3c00],
    [-2, 0xc000],
    [65_504, 0x7bff],
    [65_519, 0x7bff],
    [65_520, 0x7c00],
    [2 ** -24, 1],
    // Ties go to the even neighbor: to zero, and to two steps.
    [2 ** -25, 0],
    [1.5 * 2 ** -24, 2],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [Number.NEGATIVE_INFINITY, 0xfc00],
    [-0, 0x8000],
  ])('%d becomes 0x%x', (value, bits) => {
    expect(toHalf(value)).toBe(bits);
  });

  test('the result is the nearest value', () => {
    const finite = fc.float({ min: -65_504, max: 65_504, noNaN: true });
    fc.assert(
      fc.property(finite, (value) => {
        const bits = toHalf(value);
        const error = Math.abs(fromHalf(bits) - value);
        for (const neighbor of [bits - 1, bits + 1].filter((other) => (other & 0x7fff) < 0x7c00 && other >= 0))
          expect(Math.abs(fromHalf(neighbor & 0xffff) - value)).toBeGreaterThanOrEqual(error);
      }),
    );
  });
});

test('BF16 rounds to the nearest value, ties to even, and keeps NaN', () => {
  const bits = Uint32Array.of(0x3f800000, 0x3f808000, 0x3f818000, 0x3f808001, 0x7f800001, 0xff7fffff);
  expect(words(convertFloats(Buffer.from(bits.buffer), 'F32', 'BF16'))).toEqual([
    0x3f80, 0x3f80, 0x3f82, 0x3f81, 0x7fc0, 0xff80,
  ]);
});

test('BF16 to F32 and back changes nothing but signaling NaN', () => {
  const back = words(convertFloats(convertFloats(allWords, 'BF16', 'F32'), 'F32', 'BF16'));
  const changed = back.flatMap((bits, index) => (bits === index ? [] : [index]));
  expect(changed.every((bits) => (bits & 0x7fff) > 0x7f80)).toBe(true);
});

test('one is added in F16 if the weights are F16, else in F32', () => {
  const tiny = 2 ** -12;
  const half = convertFloats(floats(tiny), 'F32', 'F16');
  expect(convertFloats(half, 'F16', 'F32', 'addOne').readFloatLE(0)).toBe(1);
  expect(convertFloats(floats(tiny), 'F32', 'F32', 'addOne').readFloatLE(0)).toBe(1 + tiny);
});

test('a buffer that is not aligned is converted', () => {
  const shifted = Buffer.concat([Buffer.alloc(1), floats(1, 2)]).subarray(1);
  expect(words(convertFloats(shifted, 'F32', 'F16'))).toEqual([0x3c00, 0x4000]);
});

test('F64 is converted, integers are refused', () => {
  const double = Buffer.from(Float64Array.of(0.5).buffer);
  expect(convertFloats(double, 'F64', 'F32').readFloatLE(0)).toBe(0.5);
  expect(() => toSourceType('I64', 'a.weight')).toThrow('the tensor a.weight has the type I64');
});
