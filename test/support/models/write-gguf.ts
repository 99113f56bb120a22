// Writes GGUF files for tests and benchmarks.

import { closeSync, openSync, writeSync } from 'node:fs';
import { encodeEntry, encodeString, type GgufEntry, u32, u64 } from '../../../src/formats/gguf/encode-entry.ts';
import { aligned } from '../../../src/formats/gguf/write-gguf-header.ts';

export interface TensorSource {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: keyof typeof types;
  /** Fills a buffer with the next values of the tensor. */
  readonly fill: (buffer: Buffer) => void;
}

const alignment = 32;
/** The bytes of a block of so many values. */
const types = {
  F32: { number: 0, bytes: 4, values: 1 },
  F16: { number: 1, bytes: 2, values: 1 },
  Q4_K: { number: 12, bytes: 144, values: 256 },
  Q6_K: { number: 14, bytes: 210, values: 256 },
} as const;

const padded = (length: number): number => aligned(length, alignment);
const bytesOf = ({ shape, type }: TensorSource): number =>
  (shape.reduce((product, size) => product * size, 1) / types[type].values) * types[type].bytes;

export function writeGguf(
  path: string,
  metadata: Readonly<Record<string, GgufEntry>>,
  tensors: readonly TensorSource[],
): void {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(metadata).length)];
  for (const [key, entry] of Object.entries(metadata)) parts.push(encodeEntry(key, entry));
  let offset = 0;
  for (const tensor of tensors) {
    parts.push(
      encodeString(tensor.name),
      u32(tensor.shape.length),
      ...tensor.shape.map(u64),
      u32(types[tensor.type].number),
      u64(offset),
    );
    offset += padded(bytesOf(tensor));
  }
  const header = Buffer.concat(parts);
  const file = openSync(path, 'w');
  try {
    writeSync(file, Buffer.concat([header], padded(header.length)));
    for (const tensor of tensors) writeTensor(file, tensor);
  } finally {
    closeSync(file);
  }
}

// A multiple of the bytes of every block.
const pieceBytes = 1024 * 144 * 35;

function writeTensor(file: number, tensor: TensorSource): void {
  const length = bytesOf(tensor);
  for (let written = 0; written < length; ) {
    const piece = Buffer.alloc(Math.min(pieceBytes, length - written));
    tensor.fill(piece);
    writeSync(file, piece);
    written += piece.length;
  }
  writeSync(file, Buffer.alloc(padded(length) - length));
}
