// Converts between the floating-point formats of weights. Rounding is to the nearest value, ties to even, as in
// llama.cpp's converter.

import { halfValues } from '../../gguf/half-values.ts';
import type { SafetensorsType } from '../../safetensors/read-safetensors.ts';
import { unusable } from '../files/checkpoint-error.ts';

/** The formats of results. */
export type FloatType = 'F32' | 'F16' | 'BF16';

/** The formats of weights that can be converted, with the bytes of a value. */
export const floatBytes = { F64: 8, F32: 4, F16: 2, BF16: 2 } as const;
type SourceType = keyof typeof floatBytes;

export function toSourceType(type: SafetensorsType, name: string): SourceType {
  if (Object.hasOwn(floatBytes, type)) return type as SourceType;
  throw unusable(
    `the tensor ${name} has the type ${type}; only F64, F32, F16 and BF16 are converted, and F8 with scales`,
  );
}

/** What happens to each value, in F16 if the source has it: 1 is added, or its exponential is negated. */
export type ValueChange = 'addOne' | 'negativeExponential';

export function convertFloats(bytes: Buffer, from: SourceType, to: FloatType, change?: ValueChange): Buffer {
  if (from === to && change === undefined) return bytes;
  const values = toFloat32(bytes, from);
  if (change !== undefined) changeValues(values, from, changes[change]);
  switch (to) {
    case 'F32':
      return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    case 'F16':
      return toHalf(values);
    case 'BF16':
      return toBrain(values);
  }
}

/** In a buffer of its own: typed arrays need an aligned one. All supported platforms are little-endian. */
function toFloat32(bytes: Buffer, from: SourceType): Float32Array {
  const own = new Uint8Array(bytes).buffer;
  if (from === 'F32') return new Float32Array(own);
  if (from === 'F64') return new Float32Array(new Float64Array(own));
  // Loops, because `from` with a function is many times slower.
  const words = new Uint16Array(own);
  const values = new Float32Array(words.length);
  const bits = new Uint32Array(values.buffer);
  if (from === 'BF16') for (let index = 0; index < words.length; index++) bits[index] = (words[index] as number) << 16;
  else for (let index = 0; index < words.length; index++) values[index] = halfValues[words[index] as number] as number;
  return values;
}

const changes: Readonly<Record<ValueChange, (value: number) => number>> = {
  addOne: (value) => value + 1,
  negativeExponential: (value) => -Math.exp(value),
};

function changeValues(values: Float32Array, from: SourceType, change: (value: number) => number): void {
  for (let index = 0; index < values.length; index++) {
    const result = Math.fround(change(values[index] as number));
    values[index] = from === 'F16' ? (halfValues[halfOf(result)] as number) : result;
  }
}

function toHalf(values: Float32Array): Buffer {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const result = new Uint16Array(values.length);
  for (let index = 0; index < result.length; index++) result[index] = halfOfBits(bits[index] as number);
  return Buffer.from(result.buffer);
}

function toBrain(values: Float32Array): Buffer {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const result = new Uint16Array(values.length);
  for (let index = 0; index < result.length; index++) {
    const value = bits[index] as number;
    const isNan = (value & 0x7fffffff) > 0x7f800000;
    // A NaN becomes a quiet one. Rounding could make it infinite.
    result[index] = isNan ? (value >>> 16) | 0x40 : (value + 0x7fff + ((value >>> 16) & 1)) >>> 16;
  }
  return Buffer.from(result.buffer);
}

const oneFloat = new Float32Array(1);
const oneWord = new Uint32Array(oneFloat.buffer);

function halfOf(value: number): number {
  oneFloat[0] = value;
  return halfOfBits(oneWord[0] as number);
}

/** The bits of an F32 to those of an F16. */
function halfOfBits(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const rest = bits & 0x7fffffff;
  if (rest >= 0x7f800000) return halfOfSpecial(sign, rest);
  // Rounds to 65536 or more, which is infinite.
  if (rest >= 0x477ff000) return sign | 0x7c00;
  // Normal: rebias the exponent, then round. A carry into the exponent is correct.
  if (rest >= 0x38800000) return sign | ((rest - 0x38000000 + 0xfff + ((rest >>> 13) & 1)) >>> 13);
  // Half of the smallest subnormal or less rounds to zero.
  if (rest <= 0x33000000) return sign;
  const shift = 126 - (rest >>> 23);
  const mantissa = (rest & 0x7fffff) | 0x800000;
  const half = 1 << (shift - 1);
  const kept = mantissa >>> shift;
  const lost = mantissa & ((1 << shift) - 1);
  return sign | (kept + (lost > half || (lost === half && (kept & 1) === 1) ? 1 : 0));
}

function halfOfSpecial(sign: number, rest: number): number {
  if (rest === 0x7f800000) return sign | 0x7c00;
  const mantissa = (rest >>> 13) & 0x3ff;
  // A NaN whose upper bits are zero must not become infinite.
  return sign | 0x7c00 | (mantissa === 0 ? 1 : mantissa);
}
