// Receives request bodies: as chunks, or as one buffer. A client that stops sending in the middle gets an error.

import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { HearthError } from '../../../base/errors.ts';
import { JsonScanner } from '../../../base/text/json-scanner.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { createUnzstd } from '../../../base/zstd/create-unzstd.ts';
import type { BodyShare } from './body-budget.ts';
import { fieldBoundOf } from './field-bounds.ts';

interface ReceiveOptions {
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

interface ReceiveBodyOptions extends ReceiveOptions {
  readonly share: BodyShare;
  readonly maxBytes: number;
  /** Names and values. */
  readonly maxValues?: number;
}

const maxDroppedBytes = 256 * 2 ** 20;

/**
 * Listens instead of iterating: most bodies are one chunk, and an iterator costs more than reading it. The limits apply to
 * the decoded body.
 */
export function receiveBody(message: IncomingMessage, options: ReceiveBodyOptions): Promise<Buffer> {
  const { clock, timeout, share, maxBytes, maxValues } = options;
  return new Promise((resolve, reject) => {
    const announced = Number(message.headers['content-length']);
    if (announced > maxDroppedBytes && announced > maxBytes) throw tooLarge();
    const decoder = createBodyDecoder(message.headers['content-encoding']);
    const source = decoder === undefined ? message : message.pipe(decoder);
    const scanner = new JsonScanner({ maxValues, boundOf: fieldBoundOf });
    const parts: Uint8Array[] = [];
    let length = 0;
    const arm = () => clock.after(timeout, () => stop(refusal ?? timedOut(timeout)));
    let timer = arm();

    const add = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
      share.take(chunk.length);
      // Chunk by chunk, so that other requests can run in between.
      scanner.addBytes(chunk);
      parts.push(chunk);
    };
    // The rest of a refused body is read and dropped. A connection that is closed while the client sends is reset, and the
    // client may not see the answer.
    let refusal = announced > maxBytes ? tooLarge() : undefined;
    let dropped = 0;
    const onData = (chunk: Uint8Array): void => {
      timer.cancel();
      timer = arm();
      try {
        if (refusal === undefined) add(chunk);
        else dropped += chunk.length;
      } catch (error) {
        refusal = error as HearthError;
        parts.length = 0;
      }
      // What a compressed body would become is not worth reading.
      if (refusal !== undefined && (decoder !== undefined || dropped > maxDroppedBytes)) stop(refusal);
    };
    const onEnd = (): void => {
      leave();
      if (refusal !== undefined) reject(refusal);
      resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, length));
    };
    const onClose = (cause?: Error): void => {
      // The decoder may still have the end of a body that was received.
      if (decoder === undefined || !message.complete || cause !== undefined)
        stop(new HearthError('cancelled', 'the client disconnected', { cause }));
    };
    const onDamaged = (): void => stop(new HearthError('bad_request', 'the request body cannot be decompressed'));
    const leave = (): void => {
      timer.cancel();
      source.off('data', onData).off('end', onEnd);
      message.off('error', onClose).off('close', onClose);
    };
    /** The rest of the body is not read. The socket stays open, for the response. */
    const stop = (error: unknown): void => {
      leave();
      message.unpipe();
      message.pause();
      decoder?.destroy();
      reject(error);
    };
    source.on('data', onData).on('end', onEnd);
    decoder?.on('error', onDamaged);
    message.on('error', onClose).on('close', onClose);
  });
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

// Bodies that the client has compressed. RFC 9659 allows a window of 8 MiB.
const maxWindowLog = 23;

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: () => createUnzstd({ windowLog: maxWindowLog }),
};

/** What decodes a body with this Content-Encoding. Undefined: it is not encoded. Throws if nothing can. */
function createBodyDecoder(encoding = 'identity'): Transform | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return undefined;
  const create = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (create !== undefined) return create();
  const known = Object.keys(decoders).join(', ');
  const message = `the Content-Encoding "${name.slice(0, 50)}" is not supported; use one of ${known}`;
  throw new HearthError('bad_request', message);
}
