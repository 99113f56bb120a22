// The values of floats in one byte.

import type { SafetensorsType } from '../../safetensors/read-safetensors.ts';

const formats = {
  /** Without infinity; only one pattern of each sign is NaN. */
  F8_E4M3: { exponentBits: 4, bias: 7, isNan: (bits: number) => (bits & 0x7f) === 0x7f, isInfinite: () => false },
  F8_E5M2: {
    exponentBits: 5,
    bias: 15,
    isNan: (bits: number) => (bits & 0x7f) > 0x7c,
    isInfinite: (bits: number) => (bits & 0x7f) === 0x7c,
  },
} as const;

type ByteFloat = keyof typeof formats | 'F8_E8M0';

export function isByteFloat(type: SafetensorsType): type is ByteFloat {
  return type === 'F8_E8M0' || Object.hasOwn(formats, type);
}

const tables = new Map<SafetensorsType, Float32Array>();

/** By byte. */
export function byteFloatValues(type: SafetensorsType): Float32Array {
  const known = tables.get(type);
  if (known !== undefined) return known;
  const toValue = type === 'F8_E8M0' ? powerOf : (bits: number) => floatOf(bits, formats[type as keyof typeof formats]);
  const table = Float32Array.from({ length: 256 }, (_, bits) => toValue(bits));
  tables.set(type, table);
  return table;
}

/** A power of two. */
function powerOf(bits: number): number {
  return bits === 0xff ? Number.NaN : 2 ** (bits - 127);
}

function floatOf(
  bits: number,
  { exponentBits, bias, isNan, isInfinite }: (typeof formats)[keyof typeof formats],
): number {
  if (isNan(bits)) return Number.NaN;
  const sign = (bits & 0x80) === 0 ? 1 : -1;
  if (isInfinite(bits)) return sign * Number.POSITIVE_INFINITY;
  const mantissaBits = 7 - exponentBits;
  const exponent = (bits & 0x7f) >>> mantissaBits;
  const mantissa = (bits & ((1 << mantissaBits) - 1)) / 2 ** mantissaBits;
  return sign * (exponent === 0 ? mantissa * 2 ** (1 - bias) : (1 + mantissa) * 2 ** (exponent - bias));
}
