// Reads the streams of an archive: decompressed, and in pieces of chosen lengths.

import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { systemCodeOf } from '../../base/errors.ts';
import { createUnzstd } from '../../base/zstd/create-unzstd.ts';
import { invalidArchive } from './archive.ts';

export function createStreamReader(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);

  /** At most `length` bytes; none at the end of the stream. */
  const next = async (length: number): Promise<Uint8Array> => {
    while (rest.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return rest;
      rest = value;
    }
    const part = rest.subarray(0, length);
    rest = rest.subarray(part.length);
    return part;
  };

  return {
    /** Fewer bytes only at the end of the stream. */
    async take(length: number): Promise<Buffer> {
      const bytes = Buffer.alloc(length);
      let filled = 0;
      while (filled < length) {
        const part = await next(length - filled);
        if (part.length === 0) break;
        bytes.set(part, filled);
        filled += part.length;
      }
      return bytes.subarray(0, filled);
    },
    /** The next `length` bytes; throws if the stream ends before. Can be iterated again to continue. */
    stream(length: number): AsyncIterable<Uint8Array> {
      let remaining = length;
      return {
        async *[Symbol.asyncIterator]() {
          while (remaining > 0) {
            const part = await next(remaining);
            if (part.length === 0) throw invalidArchive('it is incomplete');
            remaining -= part.length;
            yield part;
          }
        },
      };
    },
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}

export type StreamReader = ReturnType<typeof createStreamReader>;

const chunkSize = 2 ** 18;
const methods = {
  gzip: (): Transform => createGunzip({ chunkSize }),
  deflate: (): Transform => createInflateRaw({ chunkSize }),
  zstd: (): Transform => createUnzstd({ chunkSize }),
} as const;

interface Compressed {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly method: keyof typeof methods;
  /** The message of the error if the bytes are invalid. */
  readonly damage: string;
}

export async function* decompress({ bytes, method, damage }: Compressed): AsyncGenerator<Uint8Array> {
  const transform = methods[method]();
  // The loop below gets the error too.
  const fed = pipeline(Readable.from(bytes), transform).catch(() => {});
  try {
    for await (const chunk of transform) yield chunk as Buffer;
  } catch (error) {
    throw isZlibError(error) ? invalidArchive(damage) : error;
  } finally {
    transform.destroy();
    await fed;
  }
}

/** Other errors come from reading the file. */
function isZlibError(error: unknown): boolean {
  return /^Z(?:STD)?_/.test(systemCodeOf(error) ?? '');
}
