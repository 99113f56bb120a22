// Reads piped input as text, up to a limit.

import type { Readable } from 'node:stream';
import { HearthError } from '../../base/errors.ts';

/** More than any model's context; bounds the memory that an endless pipe can use. */
const maxInput = 32 * 2 ** 20;

export async function readAll(stream: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const cancel = (): void => void stream.destroy(new HearthError('cancelled', 'cancelled'));
  signal.addEventListener('abort', cancel);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxInput) throw new HearthError('bad_request', 'the input exceeds the limit of 32 MiB');
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
