// Writes safetensors files with random weights. The values depend only on the name of the tensor.

import { createHash } from 'node:crypto';

export type WeightType = 'F32' | 'F16' | 'BF16';

export interface Weights {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: WeightType | 'I64' | 'U8' | 'F8_E4M3';
}

/** The bytes of a file with these tensors. */
export function encodeSafetensors(tensors: readonly Weights[]): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const data: Buffer[] = [];
  let offset = 0;
  for (const tensor of tensors) {
    const bytes = randomBytes(tensor);
    header[tensor.name] = { dtype: tensor.type, shape: tensor.shape, data_offsets: [offset, offset + bytes.length] };
    data.push(bytes);
    offset += bytes.length;
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...data]);
}

/** Finite values below 1, of many magnitudes: some are subnormal in F16. */
function randomBytes({ name, shape, type }: Weights): Buffer {
  const count = shape.reduce((product, size) => product * size, 1);
  const next = createRandom(createHash('sha256').update(name).digest().readUInt32LE(0));
  if (type === 'I64') return Buffer.alloc(8 * count);
  if (type === 'U8') return Buffer.from(Array.from({ length: count }, () => next() & 0xff));
  // Not the patterns of NaN.
  if (type === 'F8_E4M3') return Buffer.from(Array.from({ length: count }, () => next() & 0xf7));
  const bytes = Buffer.alloc(count * (type === 'F32' ? 4 : 2));
  for (let index = 0; index < count; index++) {
    const bits = next();
    const sign = bits & 1;
    // Most values are near 0.1, as in a trained model.
    const exponent = (bits & 0xf0) === 0 ? 96 + (next() % 30) : 122 + (next() % 3);
    const mantissa = next() & 0x7fffff;
    if (type === 'F32') bytes.writeUInt32LE(((sign << 31) | (exponent << 23) | mantissa) >>> 0, index * 4);
    else if (type === 'BF16') bytes.writeUInt16LE((sign << 15) | (exponent << 7) | (mantissa >>> 16), index * 2);
    else bytes.writeUInt16LE((sign << 15) | (Math.max(0, exponent - 112) << 10) | (mantissa >>> 13), index * 2);
  }
  return bytes;
}

/** xorshift; 32 bits each. */
function createRandom(seed: number): () => number {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
