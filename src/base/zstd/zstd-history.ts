// What a frame has become so far, as far back as its blocks may point. The memory grows with the output, up to the window
// and a quarter: the sender of a header alone takes none.

import { CorruptZstd } from './entropy-tables.ts';

const firstBytes = 2 ** 18;
const minSlackBytes = 2 ** 20;

export class ZstdHistory {
  #bytes = Buffer.alloc(firstBytes);
  #windowBytes = 0;
  /** Where the next byte goes. */
  #end = 0;
  /** Where the bytes start that were not taken. */
  #untaken = 0;

  /** Starts a frame, which cannot point into the last one. */
  reset(windowBytes: number): void {
    this.#windowBytes = windowBytes;
    this.#end = 0;
    this.#untaken = 0;
  }

  /** A copy of what was added since the last time. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(this.#untaken, this.#end));
    this.#untaken = this.#end;
    return taken;
  }

  /** Makes room for a block. Everything must be taken. */
  reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const limit = this.#windowBytes + Math.max(minSlackBytes, this.#windowBytes / 4);
    if (needed > limit) {
      this.#bytes.copyWithin(0, this.#end - this.#windowBytes, this.#end);
      this.#end = this.#windowBytes;
      this.#untaken = this.#end;
      if (this.#end + bytes <= this.#bytes.length) return;
    }
    const larger = Buffer.alloc(Math.min(limit, Math.max(this.#bytes.length * 2, this.#end + bytes)));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }

  append(source: Uint8Array, from: number, to: number): void {
    this.#bytes.set(source.subarray(from, to), this.#end);
    this.#end += to - from;
  }

  fill(value: number, count: number): void {
    this.#bytes.fill(value, this.#end, this.#end + count);
    this.#end += count;
  }

  /** Bytes from this far back. They may overlap with what they become. */
  repeat(distance: number, count: number): void {
    if (distance <= 0 || distance > this.#end || distance > this.#windowBytes)
      throw new CorruptZstd('an offset is too large');
    const bytes = this.#bytes;
    let to = this.#end;
    const end = to + count;
    if (distance >= count) bytes.copyWithin(to, to - distance, end - distance);
    else for (let from = to - distance; to < end; ) bytes[to++] = bytes[from++] as number;
    this.#end = end;
  }
}
