// Writes an importance matrix in the format that imatrix.ts reads.

import { encodeEntry } from './encode-entry.ts';
import { countsSuffix, imatrixType, sumsSuffix } from './imatrix.ts';
import { type TensorType, tensorTypes } from './tensor-types.ts';
import { aligned, writeGgufHeader } from './write-gguf-header.ts';

/** One matrix of the model. */
export interface ImatrixEntry {
  readonly name: string;
  /** The sums of the squares, column by column; for experts, one after the other. */
  readonly sums: Float32Array;
  /** How many rows they are sums of; for experts, of each of them. */
  readonly counts: Float32Array;
}

interface ImatrixOrigin {
  /** The names of the texts. */
  readonly datasets: readonly string[];
  readonly chunks: number;
  /** Tokens of a chunk. */
  readonly tokensPerChunk: number;
}

const f32 = tensorTypes.get(0) as TensorType;
const version = 3;
const alignment = 32;

export function* imatrixBytes(
  entries: readonly ImatrixEntry[],
  { datasets, chunks, tokensPerChunk }: ImatrixOrigin,
): Generator<Buffer> {
  const tensors = entries.flatMap(({ name, sums, counts }) => [
    toTensor(name + sumsSuffix, sums, counts.length),
    toTensor(name + countsSuffix, counts, counts.length),
  ]);
  const metadata = [
    encodeEntry('general.type', { type: 'string', value: imatrixType }),
    encodeEntry('imatrix.datasets', { type: 'strings', value: datasets }),
    encodeEntry('imatrix.chunk_count', { type: 'u32', value: chunks }),
    encodeEntry('imatrix.chunk_size', { type: 'u32', value: tokensPerChunk }),
  ];
  yield writeGgufHeader({ version, alignment, entries: metadata, tensors });
  for (const { data, bytes } of tensors) {
    yield data;
    yield Buffer.alloc(aligned(bytes, alignment) - bytes);
  }
}

/** As ggml writes shapes: a last dimension of one is left out. */
function toTensor(name: string, values: Float32Array, rows: number) {
  const shape = [values.length / rows, ...(rows === 1 ? [] : [rows])];
  const data = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return { name, shape, type: f32, bytes: data.length, data };
}
