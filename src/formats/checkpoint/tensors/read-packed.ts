// MXFP4: 4-bit numbers with a scale for each 32 of them. transformers packs neighbors into a byte, ggml values that are 16
// apart, with the scale in front of them.

import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import type { PackedPiece } from './output-tensor.ts';
import type { SourceTensor } from './source-tensors.ts';

const blockBytes = 16;

/** The shape of the values: matrices, rows, columns. */
export function packedShape({ blocks, scales, rows }: PackedPiece): number[] {
  const [matrices = 0, , count = 0] = blocks.shape;
  const isPair =
    [blocks, scales].every(({ type }) => type === 'U8' || type === 'F8_E8M0') &&
    blocks.shape.length === 4 &&
    blocks.shape[3] === blockBytes &&
    String(blocks.shape.slice(0, 3)) === String(scales.shape);
  if (!isPair) throw unusable(`the tensors ${blocks.name} and ${scales.name} do not match`);
  return [matrices, rows.length, count * blockBytes * 2];
}

/** One matrix after the other. */
export async function* readPacked({ blocks, scales, rows }: PackedPiece): AsyncGenerator<Buffer> {
  const [matrices = 0, height = 0, count = 0] = blocks.shape;
  if (blocks.bytes / matrices > checkpointLimits.reorderedBytes)
    throw unusable(`the matrices of the tensor ${blocks.name} are too large`);
  for (let matrix = 0; matrix < matrices; matrix++) {
    const packed = await readPart(blocks, matrix, height * count * blockBytes);
    const exponents = await readPart(scales, matrix, height * count);
    const result = Buffer.allocUnsafe(rows.length * count * (blockBytes + 1));
    let at = 0;
    for (const row of rows) {
      for (let block = row * count; block < (row + 1) * count; block++) {
        result[at++] = exponents[block] as number;
        repack(packed.subarray(block * blockBytes, (block + 1) * blockBytes), result, at);
        at += blockBytes;
      }
    }
    yield result;
  }
}

async function readPart({ file, offset }: SourceTensor, index: number, bytes: number): Promise<Buffer> {
  return file.read(offset + index * bytes, bytes);
}

/** Byte n of the source has the values 2n and 2n + 1, byte n of the result the values n and n + 16. */
function repack(source: Buffer, target: Buffer, at: number): void {
  const half = blockBytes / 2;
  for (let index = 0; index < half; index++) {
    const low = source[index] as number;
    const high = source[half + index] as number;
    target[at + 2 * index] = (low & 0x0f) | ((high & 0x0f) << 4);
    target[at + 2 * index + 1] = (low >>> 4) | (high & 0xf0);
  }
}
