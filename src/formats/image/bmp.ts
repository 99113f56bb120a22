// Checks the size of a BMP, and that it has its pixels: a header of a few bytes could declare millions.
//
//   "BM" size(4) reserved(4) offset(4) headerSize(4) width(4) height(4) planes(2) bits(2) compression(4) …
//
// All little-endian; a negative height means that the first row is on top. The oldest header has 12 bytes, and sides of 2.

import { HearthError } from '../../base/errors.ts';
import { checkImageSize, damaged, type ImageFacts } from './limits.ts';

const oldestHeader = 12;
const leastLength = 54;
// Uncompressed, or uncompressed with masks for the channels.
const readableCompressions = new Set([0, 3]);

export function checkBmp(file: Buffer): ImageFacts {
  if (file.length < leastLength) throw damaged('bmp', 'it has no header');
  const offset = file.readUInt32LE(10);
  const isOldest = file.readUInt32LE(14) === oldestHeader;
  const width = isOldest ? file.readUInt16LE(18) : file.readInt32LE(18);
  const height = isOldest ? file.readUInt16LE(20) : Math.abs(file.readInt32LE(22));
  const bits = isOldest ? file.readUInt16LE(24) : file.readUInt16LE(28);
  if (!isOldest && !readableCompressions.has(file.readUInt32LE(30)))
    throw new HearthError('bad_request', 'a compressed BMP is not supported: send a PNG');
  const facts = { format: 'bmp', width, height } as const;
  checkImageSize(facts);
  // A row has a multiple of four bytes.
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  if (bits === 0 || offset + rowBytes * height > file.length) throw damaged('bmp', 'pixels are missing');
  return facts;
}
