// Unguessable ids. Random bytes are taken in blocks, because each call of the generator costs as much as a block.

import { randomFillSync } from 'node:crypto';

const idBytes = 8;
const blockBytes = 512 * idBytes;

/** Returns a function that makes ids of 64 random bits, in hexadecimal. */
export function createRandomIds(): () => string {
  const block = Buffer.alloc(blockBytes);
  let used = blockBytes;
  return () => {
    if (used === blockBytes) {
      randomFillSync(block);
      used = 0;
    }
    const start = used;
    used += idBytes;
    return block.toString('hex', start, used);
  };
}
