// Writes the bytes of one part to disk. Chunks that arrive during a write go into the next one, so that a slow
// connection writes immediately and a fast one in large blocks.

import type { PartialBlob } from '../../store/store.ts';

const maxBytes = 2 ** 20;
const maxChunks = 64;

interface PartWriterOptions {
  readonly partial: PartialBlob;
  /** Start of the part. */
  readonly start: number;
  readonly onWritten: () => void;
  /** Called with each written chunk. */
  readonly recycle: (chunk: Uint8Array) => void;
}

export function createPartWriter({ partial, start, onWritten, recycle }: PartWriterOptions) {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let position = start;
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const chunks = waiting;
      const at = position - waitingBytes;
      waiting = [];
      waitingBytes = 0;
      await partial.write(chunks, at);
      chunks.forEach(recycle);
      onWritten();
    }
    writing = undefined;
  };
  const begin = (): void => {
    writing ??= write();
    // The next await of `writing` throws the error.
    writing.catch(() => {});
  };

  return {
    /** Resolves when there is room for another chunk. */
    async add(chunk: Buffer): Promise<void> {
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      position += chunk.byteLength;
      begin();
      if (waitingBytes >= maxBytes || waiting.length >= maxChunks) await writing;
    },
    /** Resolves when everything is written. */
    async flush(): Promise<void> {
      await writing;
    },
    /** The offset after the last added byte. */
    position: (): number => position,
  };
}

export type PartWriter = ReturnType<typeof createPartWriter>;
