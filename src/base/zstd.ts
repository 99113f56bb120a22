// Decompression of zstd, where Node has it.

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

interface ZstdOptions {
  readonly chunkSize?: number;
  readonly params: Readonly<Record<number, number>>;
}

// node20: from Node 22.15 on; then import it.
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: (options: ZstdOptions) => Transform };

export const hasZstd = createZstdDecompress !== undefined;

const windowLimit = 100;
/** The window that zstd needs at most for its usual levels. */
const maxWindowLog = 27;

/** `windowLog`: a window of at most this power of two in bytes. It is memory that the sender chooses. */
export function createUnzstd({ windowLog = maxWindowLog, chunkSize }: { windowLog?: number; chunkSize?: number } = {}) {
  if (createZstdDecompress === undefined) throw new Error('this version of Node has no zstd');
  return createZstdDecompress({ chunkSize, params: { [windowLimit]: windowLog } });
}
