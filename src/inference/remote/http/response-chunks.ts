// The chunks of a response. Each read returns everything that has arrived. The iterator of the stream itself would cost
// twice as many promises per chunk.

import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/time/clock.ts';

export interface ResponseChunks {
  /** Leaving the loop closes the connection, unless the response was called complete. */
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** The rest is of no interest. The connection is used again if the response ends soon. */
  complete(): void;
}

export interface ChunkOptions {
  readonly clock: Clock;
  /** Data has arrived. */
  readonly onChunk: () => void;
  /** No chunk follows. */
  readonly onEnd: () => void;
  /** The error that the reader gets. */
  readonly explain: (error: unknown) => Error;
}

// Bytes and milliseconds that may follow a complete answer.
const maxRest = 16 * 1024;
const restTime = 1000;

export function readChunks(body: Readable, { clock, onChunk, onEnd, explain }: ChunkOptions): ResponseChunks {
  let isComplete = false;
  let hasEnded = false;
  let failure: unknown;
  let wake = (): void => {};

  body
    .on('readable', () => wake())
    .on('end', () => {
      hasEnded = true;
      wake();
    })
    .on('error', (error) => {
      failure ??= error;
    })
    .on('close', () => {
      if (!hasEnded) failure ??= new Error('the connection was closed');
      wake();
    });

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = body.read() as Uint8Array | null;
        if (chunk !== null) {
          onChunk();
          yield chunk;
        } else if (failure !== undefined) throw explain(failure);
        else if (hasEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      onEnd();
      if (isComplete) discardRest();
      else body.destroy();
    }
  }

  /** A connection whose response is not read to its end cannot be used again. */
  function discardRest(): void {
    let bytes = 0;
    const timer = clock.after(restTime, () => body.destroy());
    body.once('close', () => timer.cancel());
    wake = () => {
      for (let chunk = body.read(); chunk !== null; chunk = body.read()) bytes += (chunk as Uint8Array).length;
      if (bytes > maxRest) body.destroy();
    };
    wake();
  }

  return {
    chunks: read(),
    complete() {
      isComplete = true;
    },
  };
}
