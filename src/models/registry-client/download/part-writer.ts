// Bytes of one part on their way to the disk: what comes while a write is under way goes with the next one, so that a slow
// line writes at once and a fast one in large pieces.

import type { PartialBlob } from '../../store/store.ts';

export interface PartWriter {
  /** Resolves when there is room for more. */
  add(chunk: Buffer): Promise<void>;
  /** Everything is written. */
  flush(): Promise<void>;
  /** Behind the last byte that was given. */
  position(): number;
}

const maxBytes = 2 ** 20;
const maxChunks = 64;

export interface PartWriterOptions {
  readonly partial: PartialBlob;
  /** Of the part. */
  readonly start: number;
  readonly onWritten: () => void;
  /** The bytes are written. */
  readonly recycle: (chunk: Uint8Array) => void;
}

export function createPartWriter({ partial, start, onWritten, recycle }: PartWriterOptions): PartWriter {
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
    // Whoever waits for it is told.
    writing.catch(() => {});
  };

  return {
    async add(chunk) {
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      position += chunk.byteLength;
      begin();
      if (waitingBytes >= maxBytes || waiting.length >= maxChunks) await writing;
    },
    async flush() {
      await writing;
    },
    position: () => position,
  };
}
