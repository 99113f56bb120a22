// Reads the data of an output tensor in blocks, converted. Memory use is bounded by a block, or by the rows of one
// attention head.

import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { convertFloats, type FloatType, floatBytes, toSourceType } from './number-formats.ts';
import type { OutputTensor, TensorPiece } from './output-tensor.ts';

const blockBytes = 2 ** 20;

export async function* readData({ data, type }: OutputTensor): AsyncGenerator<Buffer> {
  if (data instanceof Float32Array) yield convertFloats(Buffer.from(data.buffer), 'F32', type);
  else for (const piece of data) yield* readPiece(piece, type);
}

async function* readPiece(piece: TensorPiece, to: FloatType): AsyncGenerator<Buffer> {
  const { source, addOne = false, heads, transposed = false } = piece;
  const from = toSourceType(source.type, source.name);
  const convert = (bytes: Buffer): Buffer => convertFloats(bytes, from, to, { addOne });
  if (transposed) {
    yield convert(transpose(await readWhole(piece), source.shape, floatBytes[from]));
  } else if (heads !== undefined) {
    for await (const head of readHeads(piece, heads)) yield convert(head);
  } else {
    for (let done = 0; done < source.bytes; done += blockBytes)
      yield convert(await source.file.read(source.offset + done, Math.min(blockBytes, source.bytes - done)));
  }
}

/**
 * llama.cpp rotates neighboring values of a head, transformers values that are half a head apart. So the rows of the two
 * halves alternate in the result.
 */
async function* readHeads({ source }: TensorPiece, heads: number): AsyncGenerator<Buffer> {
  const rows = source.shape[0] ?? 0;
  if (heads === 0 || rows % (heads * 2) !== 0)
    throw unusable(`the tensor ${source.name} has ${rows} rows, which ${heads} heads cannot share`);
  const headBytes = source.bytes / heads;
  if (headBytes > checkpointLimits.reorderedBytes)
    throw unusable(`the heads of the tensor ${source.name} are too large`);
  const half = rows / heads / 2;
  const rowBytes = source.bytes / rows;
  for (let head = 0; head < heads; head++) {
    const bytes = await source.file.read(source.offset + head * headBytes, headBytes);
    const result = Buffer.allocUnsafe(headBytes);
    for (let row = 0; row < half; row++) {
      bytes.copy(result, 2 * row * rowBytes, row * rowBytes, (row + 1) * rowBytes);
      bytes.copy(result, (2 * row + 1) * rowBytes, (half + row) * rowBytes, (half + row + 1) * rowBytes);
    }
    yield result;
  }
}

async function readWhole({ source }: TensorPiece): Promise<Buffer> {
  if (source.bytes > checkpointLimits.reorderedBytes) throw unusable(`the tensor ${source.name} is too large`);
  return source.file.read(source.offset, source.bytes);
}

function transpose(bytes: Buffer, shape: readonly number[], size: number): Buffer {
  const [rows = 0, columns = 0] = shape;
  const result = Buffer.allocUnsafe(bytes.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * size;
      bytes.copy(result, (column * rows + row) * size, at, at + size);
    }
  }
  return result;
}
