// Checks the size of a PNG: the compressed data must decompress to the size that the header declares. The decoder
// checks checksums and palettes.

import { finished } from 'node:stream/promises';
import { createInflate } from 'node:zlib';
import { HearthError, messageOf } from '../../base/errors.ts';
import { checkImageSize, damaged, type ImageFacts, imageLimits } from './limits.ts';

interface Header extends ImageFacts {
  readonly bitsPerPixel: number;
  readonly interlaced: boolean;
}

const signatureLength = 8;
const headerLength = 13;
// Length and type before the data of a chunk, checksum after it.
const chunkStart = 8;
const chunkEnd = 4;
/** By color type: samples per pixel, and the allowed bit depths. */
const colorTypes: ReadonlyMap<number, { readonly samples: number; readonly depths: readonly number[] }> = new Map([
  [0, { samples: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, depths: [8, 16] }],
  [3, { samples: 1, depths: [1, 2, 4, 8] }],
  [4, { samples: 2, depths: [8, 16] }],
  [6, { samples: 4, depths: [8, 16] }],
]);
/** Adam7: the first pixel of each pass, and the distance of its pixels. */
const interlacePasses = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
] as const;
// Some encoders write slightly more than needed.
const toleratedExcess = 64 * 1024;

export async function checkPng(file: Buffer): Promise<ImageFacts> {
  const header = readHeader(file);
  checkImageSize(header);
  const expected = unpackedLength(header);
  const length = await inflatedLength(imageData(file), expected + toleratedExcess);
  if (length < expected) throw damaged('png', 'a part of the image is missing');
  const { format, width, height } = header;
  return { format, width, height };
}

function readHeader(file: Buffer): Header {
  const start = signatureLength + chunkStart;
  const complete = file.length >= start + headerLength;
  if (!complete || file.readUInt32BE(signatureLength) !== headerLength || typeAt(file, signatureLength) !== 'IHDR')
    throw damaged('png', 'it has no header');
  const width = file.readUInt32BE(start);
  const height = file.readUInt32BE(start + 4);
  const [depth = 0, colorType = 0, compression, filter, interlace = 0] = file.subarray(start + 8);
  const color = colorTypes.get(colorType);
  if (!color?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw damaged('png', 'its header is invalid');
  return { format: 'png', width, height, bitsPerPixel: color.samples * depth, interlaced: interlace === 1 };
}

/** The data of all IDAT chunks. */
function imageData(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  let offset = signatureLength;
  for (let count = 0; offset + chunkStart + chunkEnd <= file.length; count++) {
    if (count > imageLimits.pngChunks) throw damaged('png', 'it has too many chunks');
    const length = file.readUInt32BE(offset);
    const type = typeAt(file, offset);
    const start = offset + chunkStart;
    if (length > file.length - start - chunkEnd) throw damaged('png', 'it is truncated');
    if (type === 'IDAT') parts.push(file.subarray(start, start + length));
    if (type === 'IEND') return Buffer.concat(parts);
    offset = start + length + chunkEnd;
  }
  throw damaged('png', 'it has no IEND chunk');
}

function typeAt(file: Buffer, offset: number): string {
  return file.toString('latin1', offset + 4, offset + chunkStart);
}

/** Each row is padded to bytes and preceded by its filter type. */
function unpackedLength({ width, height, bitsPerPixel, interlaced }: Header): number {
  const rows = (columns: number, count: number): number =>
    columns === 0 ? 0 : count * (1 + Math.ceil((columns * bitsPerPixel) / 8));
  if (!interlaced) return rows(width, height);
  return interlacePasses
    .map(({ x, y, dx, dy }) => rows(Math.ceil(Math.max(0, width - x) / dx), Math.ceil(Math.max(0, height - y) / dy)))
    .reduce((sum, length) => sum + length, 0);
}

/** Decompresses in zlib's thread without keeping the data, and stops at `max`. */
async function inflatedLength(data: Buffer, max: number): Promise<number> {
  const inflate = createInflate({ chunkSize: 256 * 1024 });
  let length = 0;
  inflate.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > max)
      inflate.destroy(new HearthError('bad_request', 'the PNG decompresses to more than its header declares'));
  });
  inflate.end(data);
  try {
    await finished(inflate);
  } catch (error) {
    throw error instanceof HearthError ? error : damaged('png', messageOf(error));
  }
  return length;
}
