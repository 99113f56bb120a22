// Memory for what comes in. Node makes a new block for every read; at a gigabyte a second, clearing those away takes a
// fifth of the time. These go back when what was in them is written, and are used again.

import type { OnReadOpts, Socket } from 'node:net';

export interface ReceiveBuffers {
  /** For sockets: where they read to, and how they hand it on. */
  readonly onread: OnReadOpts;
  /** The bytes are not needed any more. Nobody has to say so; and nobody may say so twice. */
  recycle(chunk: Uint8Array): void;
}

interface Use {
  /** Bytes that came, and bytes that were given back: all of them, and the block is free. */
  came: number;
  back: number;
}

const blockSize = 128 * 1024;
const maxFree = 128;

export function createReceiveBuffers(): ReceiveBuffers {
  const free: ArrayBuffer[] = [];
  // A block that nobody gives back is forgotten with its last reader.
  const uses = new WeakMap<ArrayBufferLike, Use>();

  return {
    onread: {
      buffer() {
        const block = free.pop() ?? new ArrayBuffer(blockSize);
        uses.set(block, { came: 0, back: 0 });
        return new Uint8Array(block);
      },
      // Called as a method of the socket; it takes the bytes as if it had read them itself.
      callback(this: unknown, count: number, { buffer }: Uint8Array) {
        const use = uses.get(buffer);
        if (use) use.came = count;
        return (this as Socket).push(Buffer.from(buffer as ArrayBuffer, 0, count));
      },
    },
    recycle({ buffer, byteLength }) {
      const use = uses.get(buffer);
      if (use === undefined) return;
      use.back += byteLength;
      if (use.back !== use.came) return;
      uses.delete(buffer);
      if (free.length < maxFree) free.push(buffer as ArrayBuffer);
    },
  };
}
