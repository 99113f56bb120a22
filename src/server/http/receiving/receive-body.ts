// Receives request bodies: as chunks, or as one buffer. A client that stops sending in the middle gets an error.

import type { IncomingMessage } from 'node:http';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createValueCounter } from '../../../base/value-counter.ts';
import type { BodyShare } from './body-budget.ts';

export interface ReceiveOptions {
  readonly clock: Clock;
  /** Milliseconds without a byte. Only the time that the server waits for the client counts. */
  readonly timeout: number;
}

export async function* receiveChunks(
  message: IncomingMessage,
  { clock, timeout }: ReceiveOptions,
): AsyncGenerator<Uint8Array> {
  // The socket stays open after an error, for the response.
  const chunks = message.iterator({ destroyOnReturn: false });
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      const timer = clock.after(timeout, () => reject(timedOut(timeout)));
      chunks
        .next()
        .finally(() => timer.cancel())
        .then(resolve, (error) => reject(new HearthError('cancelled', 'the client disconnected', { cause: error })));
    });
  for (let result = await next(); !result.done; result = await next()) {
    let wantsMore = false;
    try {
      yield result.value;
      wantsMore = true;
    } finally {
      // Not after a timeout: `return` would wait for the chunk that does not come.
      if (!wantsMore) await chunks.return?.();
    }
  }
}

export async function receiveBody(
  message: IncomingMessage,
  { share, maxBytes, ...options }: ReceiveOptions & { readonly share: BodyShare; readonly maxBytes: number },
): Promise<Buffer> {
  if (Number(message.headers['content-length']) > maxBytes) throw tooLarge();
  const counter = createValueCounter();
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of receiveChunks(message, options)) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    share.take(chunk.length);
    // Chunk by chunk, so that other requests can run in between.
    counter.addBytes(chunk);
    parts.push(chunk);
  }
  return Buffer.concat(parts, length);
}

/** Closes the connection of a request that was answered early if the client stops sending the rest. */
export function closeIfUnfinished(message: IncomingMessage, { clock, timeout }: ReceiveOptions): void {
  if (message.complete || message.destroyed) return;
  const received = message.socket.bytesRead;
  clock.after(timeout, () => {
    if (message.socket.bytesRead === received) message.destroy();
    else closeIfUnfinished(message, { clock, timeout });
  });
}

function tooLarge(): HearthError {
  return new HearthError('body_too_large', 'request body too large');
}

function timedOut(timeout: number): HearthError {
  return new HearthError(
    'request_timeout',
    `the client sent no data for ${timeout / 1000} s in the middle of a request`,
  );
}
