// Decompression of zstd: Node's own, or ours on a version that has none.

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { UnzstdStream } from './unzstd-stream.ts';

interface ZstdOptions {
  readonly chunkSize?: number;
  readonly params: Readonly<Record<number, number>>;
}

// node20: from Node 22.15 on; then import it, and remove the other files of this folder.
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: (options: ZstdOptions) => Transform };

const windowLimit = 100;
/** The window that zstd needs at most for its usual levels. */
const maxWindowLog = 27;

/** `windowLog`: a window of at most this power of two in bytes. It is memory that the sender chooses. */
export function createUnzstd({ windowLog = maxWindowLog, chunkSize }: { windowLog?: number; chunkSize?: number } = {}) {
  if (createZstdDecompress === undefined) return new UnzstdStream(2 ** windowLog);
  return createZstdDecompress({ chunkSize, params: { [windowLimit]: windowLog } });
}
