// Unguessable ids. Random bytes are taken in blocks, because each call of the generator costs as much as a block.

import { randomFillSync } from 'node:crypto';

// Bytes.
const idLength = 8;
const blockLength = 512 * idLength;

/** Returns what makes ids of 64 random bits, in hexadecimal. */
export function createRandomIds(): () => string {
  const block = Buffer.alloc(blockLength);
  let used = blockLength;
  return () => {
    if (used === blockLength) {
      randomFillSync(block);
      used = 0;
    }
    const start = used;
    used += idLength;
    return block.toString('hex', start, used);
  };
}
