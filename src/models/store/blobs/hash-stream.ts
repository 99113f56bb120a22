// Bytes on their way, with their digest: into a file, or out of one. Memory is bounded, the thread is never held for
// longer than it takes to hash a block, and whoever waits for a slow sender can be called back.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Digest, parseDigest } from '../../../base/digest.ts';
import { untilAborted } from '../files/until-aborted.ts';

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
  let size = 0;
  const stream: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: blockSize });
  for await (const chunk of untilAborted(stream, signal)) {
    hash.update(chunk);
    size += chunk.byteLength;
    onBytes?.(chunk.byteLength);
  }
  return { digest: finish(hash), size };
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
    for await (const chunk of untilAborted(source, signal)) {
      await writer.add(chunk);
      size += chunk.byteLength;
    }
    await writer.flush();
  } finally {
    // Nobody may close the file under a write.
    await writer.settled();
  }
  return { digest: finish(hash), size };
}

function finish(hash: Hash): Digest {
  return parseDigest(`sha256:${hash.digest('hex')}`);
}

/**
 * Two blocks: while one is on its way to the disk, the other is filled and hashed. The bytes are copied once, so that
 * what is hashed is what is written, whatever the source does with its buffer.
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
    // Whoever waits next is told; meanwhile it is nobody's failure yet.
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
