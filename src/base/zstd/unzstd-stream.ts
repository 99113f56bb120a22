// A stream that decompresses zstd on this thread, in slices of a few milliseconds, and no faster than it is read.

import { Transform, type TransformCallback } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CorruptZstd } from './entropy-tables.ts';
import { FrameDecoder } from './frame-decoder.ts';

// A slice takes about five milliseconds. A block counts as bytes too, because it may have tables.
const sliceBytes = 2 ** 19;
const blockBytes = 2 ** 11;

export class UnzstdStream extends Transform {
  readonly #decoder: FrameDecoder;
  #resume: (() => void) | undefined;

  constructor(maxWindowBytes: number) {
    super();
    this.#decoder = new FrameDecoder(maxWindowBytes);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#decode(chunk).then(() => done(), done);
  }

  async #decode(chunk: Buffer): Promise<void> {
    let bytes = 0;
    for (const part of this.#decoder.decode(chunk)) {
      bytes += part.length + blockBytes;
      const isFull = part.length > 0 && !this.push(part);
      if (isFull) await this.#untilRead();
      else if (bytes > sliceBytes) await setImmediate();
      else continue;
      if (this.destroyed) return;
      bytes = 0;
    }
  }

  #untilRead(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  override _read(size: number): void {
    const resume = this.#resume;
    this.#resume = undefined;
    // In a slice of its own: a reader that takes everything at once must not hold the thread.
    if (resume !== undefined) void setImmediate().then(resume);
    else super._read(size);
  }

  override _flush(done: TransformCallback): void {
    done(this.#decoder.isComplete ? null : new CorruptZstd('the stream is incomplete'));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#resume?.();
    done(error);
  }
}
