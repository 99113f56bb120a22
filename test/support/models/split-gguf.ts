// Splits a GGUF file like gguf-split: the first file has the metadata, every file has its own tensors.

import type { Gguf, GgufTensor } from '../../../src/formats/gguf/read-gguf.ts';
import type { SplitInfo } from '../../../src/formats/gguf/split-info.ts';
import { aligned, writeGgufHeader } from '../../../src/formats/gguf/write-gguf-header.ts';

/** A metadata entry of type u16 (2) or i32 (5). */
export function metadataEntry(key: string, type: 2 | 5, value: number): Buffer {
  const bytes = Buffer.alloc(8 + key.length + 4 + (type === 2 ? 2 : 4));
  bytes.writeBigUInt64LE(BigInt(key.length));
  bytes.write(key, 8);
  const valueOffset = bytes.writeUInt32LE(type, 8 + key.length);
  if (type === 2) bytes.writeUInt16LE(value, valueOffset);
  else bytes.writeInt32LE(value, valueOffset);
  return bytes;
}

export const splitEntries = ({ number, count, tensors }: SplitInfo): Buffer[] => [
  metadataEntry('split.no', 2, number),
  metadataEntry('split.count', 2, count),
  metadataEntry('split.tensors.count', 5, tensors),
];

export interface PartToWrite {
  readonly entries: readonly Buffer[];
  readonly tensors: readonly GgufTensor[];
  readonly alignment?: number;
  readonly dataOf: (tensor: GgufTensor) => Buffer;
}

export function writePart({ entries, tensors, alignment = 32, dataOf }: PartToWrite): Buffer {
  const header = writeGgufHeader({ version: 3, alignment, entries, tensors });
  const data = tensors.map((tensor) => Buffer.concat([dataOf(tensor)], aligned(tensor.bytes, alignment)));
  return Buffer.concat([header, ...data]);
}

/** One file per group of tensors. */
export function splitGguf(bytes: Buffer, gguf: Gguf, groups: readonly (readonly GgufTensor[])[]): Buffer[] {
  const own = [...gguf.layout.entries.values()].map(({ offset, bytes: length }) =>
    bytes.subarray(offset, offset + length),
  );
  const dataOf = ({ offset, bytes: length }: GgufTensor): Buffer => bytes.subarray(offset, offset + length);
  return groups.map((tensors, number) => {
    const keys = splitEntries({ number, count: groups.length, tensors: gguf.tensors.length });
    // One at the start and the others at the end, so that the split keys are not adjacent.
    const entries = number === 0 ? [...keys.slice(0, 1), ...own, ...keys.slice(1)] : keys;
    return writePart({ entries, tensors, dataOf });
  });
}
