// Decompresses the data of an archive.

import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { systemCodeOf } from '../../base/errors.ts';
import { invalidArchive } from './archive.ts';

// Bytes.
const chunkSize = 2 ** 18;
const methods = {
  gzip: (): Transform => createGunzip({ chunkSize }),
  deflate: (): Transform => createInflateRaw({ chunkSize }),
} as const;

export interface Compressed {
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
  return systemCodeOf(error)?.startsWith('Z_') === true;
}
