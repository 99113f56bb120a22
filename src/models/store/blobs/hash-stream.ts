// Hashes bytes while they are read from a file or written to one. Memory is bounded, the event loop is blocked at most
// for the hash of one block, and waiting for a slow sender can be aborted.

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type Digest, parseDigest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { toAbortableIterable } from '../files/abortable-iterable.ts';

export interface HashedBytes {
  readonly digest: Digest;
  readonly size: number;
}

const blockSize = 2 ** 20;

export async function hashFile(
  path: string,
  { signal, onBytes }: { readonly signal?: AbortSignal; readonly onBytes?: (count: number) => void } = {},
): Promise<HashedBytes> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(blockSize);
  let size = 0;
  // A handle and not a stream: a stream that is abandoned before its first read keeps its file open.
  const file = await open(path, 'r');
  try {
    for (;;) {
      if (signal?.aborted) throw new HearthError('cancelled', 'the transfer was canceled');
      const { bytesRead } = await file.read(block, 0, blockSize);
      if (bytesRead === 0) return { digest: finish(hash), size };
      hash.update(block.subarray(0, bytesRead));
      size += bytesRead;
      onBytes?.(bytesRead);
    }
  } finally {
    await file.close();
  }
}

export async function writeHashed(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<HashedBytes> {
  const hash = createHash('sha256');
  const writer = createBlockWriter(file, hash);
  let size = 0;
  try {
    for await (const chunk of toAbortableIterable(source, signal)) {
      await writer.add(chunk);
      size += chunk.byteLength;
    }
    await writer.flush();
  } finally {
    // The file must not be closed during a write.
    await writer.settled();
  }
  return { digest: finish(hash), size };
}

function finish(hash: Hash): Digest {
  return parseDigest(`sha256:${hash.digest('hex')}`);
}

/**
 * Double buffering: while one block is written to disk, the other is filled and hashed. Bytes are copied once, so that
 * the hashed bytes are the written ones even if the source reuses its buffer.
 */
function createBlockWriter(file: FileHandle, hash: Hash) {
  let [block, other] = [Buffer.allocUnsafe(blockSize), Buffer.allocUnsafe(blockSize)];
  let filled = 0;
  let writing: Promise<void> = Promise.resolve();

  const send = async (): Promise<void> => {
    await writing;
    const full = block.subarray(0, filled);
    [block, other] = [other, block];
    filled = 0;
    writing = writeFully(file, full);
    // The next await of `writing` throws the error; this only prevents an unhandled rejection until then.
    writing.catch(() => {});
    hash.update(full);
  };

  return {
    async add(chunk: Uint8Array): Promise<void> {
      for (let at = 0; at < chunk.byteLength; ) {
        const part = chunk.subarray(at, at + blockSize - filled);
        block.set(part, filled);
        filled += part.byteLength;
        at += part.byteLength;
        if (filled === blockSize) await send();
      }
    },
    async flush(): Promise<void> {
      if (filled > 0) await send();
      await writing;
    },
    settled: () => writing.catch(() => {}),
  };
}

async function writeFully(file: FileHandle, block: Uint8Array): Promise<void> {
  for (let written = 0; written < block.byteLength; ) {
    written += (await file.write(block, written)).bytesWritten;
  }
}
