// Checks the size of a GIF from its header. Of an animation, the engine reads the first frame.
//
//   "GIF87a" | "GIF89a"   width(2) height(2)   little-endian

import { checkImageSize, damaged, type ImageFacts } from './limits.ts';

const headerLength = 13;

export function checkGif(file: Buffer): ImageFacts {
  if (file.length < headerLength) throw damaged('gif', 'it has no header');
  const facts = { format: 'gif', width: file.readUInt16LE(6), height: file.readUInt16LE(8) } as const;
  checkImageSize(facts);
  return facts;
}
