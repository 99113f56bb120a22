// Reads the data of an output tensor in blocks, converted. Memory use is bounded by a block, or by a part whose units change
// their order.

import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { convertFloats, type FloatType, floatBytes, toSourceType } from './number-formats.ts';
import type { OutputTensor, TensorPiece, Transposition } from './output-tensor.ts';
import { readPacked } from './read-packed.ts';
import type { SourceTensor } from './source-tensors.ts';
import { transposeMatrix } from './transpose.ts';
import type { UnitOrder } from './unit-order.ts';

const blockBytes = 2 ** 20;

export async function* readData({ data, type }: OutputTensor): AsyncGenerator<Buffer> {
  if (data instanceof Float32Array) yield convertFloats(Buffer.from(data.buffer), 'F32', type as FloatType);
  else if ('blocks' in data) yield* readPacked(data);
  else for (const piece of data) yield* readPiece(piece, type as FloatType);
}

async function* readPiece({ source, values, order, transposed }: TensorPiece, to: FloatType): AsyncGenerator<Buffer> {
  const from = toSourceType(source.type, source.name);
  const bytes =
    transposed !== undefined
      ? readTransposed(source, floatBytes[from], transposed)
      : order !== undefined
        ? readUnits(source, order)
        : readBlocks(source, source.offset, source.bytes);
  for await (const block of bytes) yield convertFloats(block, from, to, values);
}

async function* readBlocks({ file }: SourceTensor, offset: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; done += blockBytes)
    yield await file.read(offset + done, Math.min(blockBytes, length - done));
}

/** Large units are read one by one, small ones with their parts. */
async function* readUnits(source: SourceTensor, { parts, units, order }: UnitOrder): AsyncGenerator<Buffer> {
  const partBytes = source.bytes / parts;
  const unitBytes = partBytes / units;
  if (!Number.isInteger(unitBytes))
    throw unusable(`the tensor ${source.name} does not consist of ${parts} equal parts`);
  if (unitBytes >= blockBytes) {
    for (let part = 0; part < parts; part++)
      for (const unit of order)
        yield* readBlocks(source, source.offset + part * partBytes + unit * unitBytes, unitBytes);
    return;
  }
  if (partBytes > checkpointLimits.reorderedBytes)
    throw unusable(`the parts of the tensor ${source.name} are too large`);
  const together = Math.max(1, Math.floor(blockBytes / partBytes));
  for (let part = 0; part < parts; part += together) {
    const read = Math.min(together, parts - part);
    const bytes = await source.file.read(source.offset + part * partBytes, read * partBytes);
    const result = Buffer.allocUnsafe(read * order.length * unitBytes);
    for (let index = 0, at = 0; index < read; index++) {
      for (const unit of order) {
        const start = index * partBytes + unit * unitBytes;
        at += bytes.copy(result, at, start, start + unitBytes);
      }
    }
    yield result;
  }
}

/** One matrix after the other. */
async function* readTransposed(
  source: SourceTensor,
  size: number,
  { columns, rows: needed }: Transposition,
): AsyncGenerator<Buffer> {
  const [height = 0, width = 0] = source.shape.slice(-2);
  const bytes = height * width * size;
  const rows = Math.min(height, needed ?? height);
  if (bytes > checkpointLimits.reorderedBytes) throw unusable(`the tensor ${source.name} is too large`);
  for (let done = 0; done < source.bytes; done += bytes)
    yield transposeMatrix(await source.file.read(source.offset + done, rows * width * size), {
      rows,
      width,
      size,
      columns,
    });
}
