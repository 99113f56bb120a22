// What comes in through a pipe, as text, with a limit.

import type { Readable } from 'node:stream';
import { HearthError } from '../../base/errors.ts';

/** Far beyond what any model reads; without a limit, an endless pipe would fill the memory. */
const maxInput = 32 * 2 ** 20;

export async function readAll(stream: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const giveUp = (): void => void stream.destroy(new HearthError('cancelled', 'cancelled'));
  signal.addEventListener('abort', giveUp);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxInput) throw new HearthError('bad_request', 'the input is longer than 32 MB');
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
