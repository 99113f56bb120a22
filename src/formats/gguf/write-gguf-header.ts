// Writes the part of a GGUF file before the data; read-gguf.ts has the grammar. Metadata is copied as bytes, because
// the reader does not keep the exact type of a value.

import { encodeString, u32, u64 } from './encode-entry.ts';
import type { GgufTensor } from './read-gguf.ts';

interface GgufHeader {
  readonly version: number;
  readonly alignment: number;
  /** Key and value of each entry, encoded. */
  readonly entries: readonly Buffer[];
  /** In the order of their data, which is padded to the alignment. */
  readonly tensors: readonly Pick<GgufTensor, 'name' | 'shape' | 'type' | 'bytes'>[];
}

/** Padded to the start of the data. */
export function writeGgufHeader({ version, alignment, entries, tensors }: GgufHeader): Buffer {
  const parts = [Buffer.from('GGUF'), u32(version), u64(tensors.length), u64(entries.length), ...entries];
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    parts.push(encodeString(name), u32(shape.length), ...shape.map(u64), u32(type.number), u64(offset));
    offset += aligned(bytes, alignment);
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat(parts, aligned(length, alignment));
}

export function aligned(length: number, alignment: number): number {
  return Math.ceil(length / alignment) * alignment;
}
