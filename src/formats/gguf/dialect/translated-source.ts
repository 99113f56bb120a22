// Reads parts of a translated file that does not exist on disk. Synchronous: llama.cpp asks for the bytes while it loads.

import { closeSync, openSync, readSync } from 'node:fs';
import { malformed } from '../byte-reader.ts';
import type { ByteSpan } from '../read-gguf.ts';
import { computePiece, type TranslatedLayout, type TranslatedPiece } from './translated-layout.ts';

/** Only Linux has a way to give llama.cpp a file that does not exist. Elsewhere the file is written. */
export const canReadTranslated = process.platform === 'linux';

export class TranslatedSource {
  readonly bytes: number;
  readonly #pieces: readonly TranslatedPiece[];
  readonly #descriptor: number;
  /** The computed piece that was read last. */
  #computed: { readonly piece: TranslatedPiece; readonly value: Buffer } | undefined;

  constructor(path: string, { bytes, pieces }: TranslatedLayout) {
    this.bytes = bytes;
    this.#pieces = pieces;
    this.#descriptor = openSync(path, 'r');
  }

  /** Fills the target as far as the file goes, and returns the number of bytes. */
  read(position: number, target: Uint8Array): number {
    let done = 0;
    for (let index = this.#pieceAt(position); index < this.#pieces.length && done < target.length; index++) {
      const piece = this.#pieces[index] as TranslatedPiece;
      const from = position + done - piece.start;
      const length = Math.min(piece.bytes - from, target.length - done);
      this.#readPiece(piece, from, target.subarray(done, done + length));
      done += length;
    }
    return done;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** The first piece that ends after the position. */
  #pieceAt(position: number): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { start, bytes } = this.#pieces[middle] as TranslatedPiece;
      if (start + bytes <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #readPiece(piece: TranslatedPiece, from: number, target: Uint8Array): void {
    const { content } = piece;
    if (content.kind === 'copy') this.#fill(target, content.offset + from);
    else {
      const value = content.kind === 'bytes' ? content.value : this.#compute(piece, content);
      target.set(value.subarray(from, from + target.length));
    }
  }

  #compute(
    piece: TranslatedPiece,
    { spans, compute }: { readonly spans: readonly ByteSpan[]; readonly compute: (source: Buffer) => Buffer },
  ): Buffer {
    if (this.#computed?.piece !== piece) {
      const sources = spans.map(({ offset, bytes }) => {
        const buffer = Buffer.allocUnsafe(bytes);
        this.#fill(buffer, offset);
        return buffer;
      });
      this.#computed = { piece, value: computePiece(compute, Buffer.concat(sources), piece.bytes) };
    }
    return this.#computed.value;
  }

  #fill(target: Uint8Array, offset: number): void {
    for (let done = 0; done < target.length; ) {
      const count = readSync(this.#descriptor, target, done, target.length - done, offset + done);
      if (count === 0) throw malformed('it became shorter while it was read');
      done += count;
    }
  }
}
