// Checks the size of a WebP from its header, before anything is decoded.
//
//   "RIFF" size "WEBP" chunk …          size: 4 bytes, little-endian
//   chunk = "VP8 " size tag(3) 9d 01 2a width(2) height(2)     lossy; 14 bits each
//         | "VP8L" size 2f bits(4)                             lossless; 14 bits each, less one
//         | "VP8X" size flags(4) width(3) height(3)            extended; less one

import { HearthError } from '../../base/errors.ts';
import { checkImageSize, damaged, type ImageFacts } from './limits.ts';

const bodyOffset = 20;
const headerLength = 30;
const sideMask = 0x3fff;
const animationFlag = 0x02;

export function checkWebp(file: Buffer): ImageFacts {
  const facts = { format: 'webp', ...readSize(padded(file)) } as const;
  checkImageSize(facts);
  return facts;
}

// A lossless file of few colors is shorter than the header of the others.
function padded(file: Buffer): Buffer {
  return file.length >= headerLength ? file : Buffer.concat([file, Buffer.alloc(headerLength - file.length)]);
}

function readSize(file: Buffer): { readonly width: number; readonly height: number } {
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (file.readUIntBE(bodyOffset + 3, 3) !== 0x9d012a) throw damaged('webp', 'it has no frame');
      return {
        width: file.readUInt16LE(bodyOffset + 6) & sideMask,
        height: file.readUInt16LE(bodyOffset + 8) & sideMask,
      };
    case 'VP8L': {
      if (file[bodyOffset] !== 0x2f) throw damaged('webp', 'it has no frame');
      const bits = file.readUInt32LE(bodyOffset + 1);
      return { width: (bits & sideMask) + 1, height: ((bits >>> 14) & sideMask) + 1 };
    }
    case 'VP8X':
      if (((file[bodyOffset] as number) & animationFlag) !== 0)
        throw new HearthError('bad_request', 'an animated WebP is not supported: send a single image');
      return { width: file.readUIntLE(bodyOffset + 4, 3) + 1, height: file.readUIntLE(bodyOffset + 7, 3) + 1 };
    default:
      throw damaged('webp', 'it has no frame');
  }
}
