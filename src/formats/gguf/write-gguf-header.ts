// Writes what comes before the data in a GGUF file; read-gguf.ts has the grammar. Metadata goes in as the bytes that
// it is in another file, because a value that was read no longer knows which of a dozen types it had.

import { text, u32, u64 } from './encode-value.ts';
import type { GgufTensor } from './read-gguf.ts';

export interface GgufHeader {
  readonly version: number;
  readonly alignment: number;
  /** Key and value of each entry, as they are in a file. */
  readonly entries: readonly Buffer[];
  /** In the order in which their data follows, each filled up to the alignment. */
  readonly tensors: readonly Pick<GgufTensor, 'name' | 'shape' | 'type' | 'bytes'>[];
}

/** Ends where the data begins. */
export function writeGgufHeader({ version, alignment, entries, tensors }: GgufHeader): Buffer {
  const parts = [Buffer.from('GGUF'), u32(version), u64(tensors.length), u64(entries.length), ...entries];
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(type.number), u64(offset));
    offset += aligned(bytes, alignment);
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat(parts, aligned(length, alignment));
}

export function aligned(length: number, alignment: number): number {
  return Math.ceil(length / alignment) * alignment;
}
