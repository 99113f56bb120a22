// Writes GGUF files for tests and benchmarks.

import { closeSync, openSync, writeSync } from 'node:fs';
import { encodeString, u32, u64 } from '../../../src/formats/gguf/encode-value.ts';
import { aligned } from '../../../src/formats/gguf/write-gguf-header.ts';

export type GgufEntry =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'u32'; readonly value: number }
  | { readonly type: 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] };

export interface TensorSource {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: 'F32' | 'F16';
  /** Fills a buffer with the next values of the tensor. */
  readonly fill: (buffer: Buffer) => void;
}

const alignment = 32;
const types = { F32: { number: 0, bytes: 4 }, F16: { number: 1, bytes: 2 } } as const;

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function encodeEntry(entry: GgufEntry): Buffer[] {
  switch (entry.type) {
    case 'u32':
      return [u32(4), u32(entry.value)];
    case 'f32':
      return [u32(6), f32(entry.value)];
    case 'bool':
      return [u32(7), Buffer.from([entry.value ? 1 : 0])];
    case 'string':
      return [u32(8), encodeString(entry.value)];
    case 'strings':
      return [u32(9), u32(8), u64(entry.value.length), ...entry.value.map(encodeString)];
    case 'i32s':
      return [u32(9), u32(5), u64(entry.value.length), Buffer.from(Int32Array.from(entry.value).buffer)];
  }
}

const padded = (length: number): number => aligned(length, alignment);
const bytesOf = ({ shape, type }: TensorSource): number =>
  shape.reduce((product, size) => product * size, types[type].bytes);

export function writeGguf(
  path: string,
  metadata: Readonly<Record<string, GgufEntry>>,
  tensors: readonly TensorSource[],
): void {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(metadata).length)];
  for (const [key, entry] of Object.entries(metadata)) parts.push(encodeString(key), ...encodeEntry(entry));
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

const pieceBytes = 4 * 2 ** 20;

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
