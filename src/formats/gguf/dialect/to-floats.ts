// The values of a tensor as F32, for the few small tensors that a translation converts.

import { malformed } from '../byte-reader.ts';
import { halfValues } from '../half-values.ts';
import type { TensorType } from '../tensor-types.ts';

type Decode = (bytes: Buffer, values: Float32Array) => void;

const decoders: Readonly<Record<string, Decode>> = {
  F32: (bytes, values) => {
    for (let index = 0; index < values.length; index++) values[index] = bytes.readFloatLE(4 * index);
  },
  F16: (bytes, values) => {
    for (let index = 0; index < values.length; index++) values[index] = half(bytes, 2 * index);
  },
  BF16: (bytes, values) => {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (let index = 0; index < bits.length; index++) bits[index] = bytes.readUInt16LE(2 * index) << 16;
  },
  Q8_0: (bytes, values) => {
    for (let index = 0; index < values.length; index++) {
      const block = 34 * Math.floor(index / 32);
      values[index] = half(bytes, block) * bytes.readInt8(block + 2 + (index % 32));
    }
  },
  Q4_K: decodeQ4K,
  Q6_K: decodeQ6K,
};

export function canBeFloats({ name }: TensorType): boolean {
  return Object.hasOwn(decoders, name);
}

/** Throws for a type that no published file has in these places. */
export function toFloats(bytes: Buffer, type: TensorType): Float32Array {
  const decode = decoders[type.name];
  if (decode === undefined) throw malformed(`a tensor of the type ${type.name} cannot be converted`);
  const values = new Float32Array((bytes.length / type.blockBytes) * type.blockLength);
  decode(bytes, values);
  return values;
}

/** All supported platforms are little-endian. */
export function bytesOfFloats(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

function half(bytes: Buffer, offset: number): number {
  return halfValues[bytes.readUInt16LE(offset)] as number;
}

/** Blocks of 256: two halves, 12 bytes with a scale and a minimum of 6 bits for each 32 values, and 4 bits per value. */
function decodeQ4K(bytes: Buffer, values: Float32Array): void {
  for (let block = 0; block < values.length / 256; block++) {
    const start = 144 * block;
    const scales = bytes.subarray(start + 4, start + 16);
    for (let index = 0; index < 256; index++) {
      const group = index >> 5;
      const [scale, minimum] = scaleAndMinimum(scales, group);
      const packed = bytes[start + 16 + 32 * (group >> 1) + (index & 31)] as number;
      const value = (group & 1) === 0 ? packed & 15 : packed >> 4;
      values[256 * block + index] = half(bytes, start) * scale * value - half(bytes, start + 2) * minimum;
    }
  }
}

/** The upper two bits of the last four groups are in the bytes of the first four. */
function scaleAndMinimum(scales: Buffer, group: number): readonly [number, number] {
  const at = (index: number): number => scales[index] as number;
  if (group < 4) return [at(group) & 63, at(group + 4) & 63];
  return [(at(group + 4) & 15) | ((at(group - 4) >> 6) << 4), (at(group + 4) >> 4) | ((at(group) >> 6) << 4)];
}

/** Blocks of 256: the lower 4 bits, the upper 2 bits, a scale for each 16 values, and a half. */
function decodeQ6K(bytes: Buffer, values: Float32Array): void {
  for (let block = 0; block < values.length / 256; block++) {
    const start = 210 * block;
    for (let index = 0; index < 256; index++) {
      const part = index >> 7;
      const quarter = (index >> 5) & 3;
      const column = index & 31;
      const low = bytes[start + 64 * part + 32 * (quarter & 1) + column] as number;
      const high = (bytes[start + 128 + 32 * part + column] as number) >> (2 * quarter);
      const value = (quarter < 2 ? low & 15 : low >> 4) | ((high & 3) << 4);
      const scale = bytes.readInt8(start + 192 + (index >> 4));
      values[256 * block + index] = half(bytes, start + 208) * scale * (value - 32);
    }
  }
}
