// A prompt as a chain of blocks. The hash of a block covers all text before it, so prompts that have a hash in common
// share everything up to the end of that block.

import { createHash } from 'node:crypto';
import { blockLength, maxBlocks } from './limits.ts';

/** Characters of base64: 96 bits. */
const hashLength = 16;

/**
 * The hashes of the blocks of a prompt, the first block first. An incomplete block at the end is left out, because the
 * next turn of the conversation continues it. A prompt that is shorter than a block is one block.
 */
export function hashBlocks(prompt: string): readonly string[] {
  const count = Math.max(1, Math.min(Math.floor(prompt.length / blockLength), maxBlocks));
  const hash = createHash('sha256');
  return Array.from({ length: count }, (_, index) => {
    hash.update(prompt.slice(index * blockLength, (index + 1) * blockLength), 'utf16le');
    return hash.copy().digest('base64').slice(0, hashLength);
  });
}
