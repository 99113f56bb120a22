// Sends one request through undici's dispatcher. Response chunks are passed on without joining or copying, and a slow
// reader applies backpressure.

import type { Dispatcher } from 'undici';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';

export interface DispatchedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Can be read once. A premature end is an error. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Stops reading. A short rest is drained, so that the connection can be reused. */
  drop(): void;
}

// Bytes buffered before the response is paused.
const maxBuffered = 512 * 1024;
// Draining up to this many bytes is cheaper than a new connection.
const maxDrained = 64 * 1024;

interface DispatchControl {
  /** Aborts the request at once. */
  readonly signal: AbortSignal;
  /** Called when the exchange is over, however it ended. */
  readonly onEnd: () => void;
}

export async function dispatchRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, onEnd }: DispatchControl,
): Promise<DispatchedResponse> {
  const head = createDeferred<Omit<DispatchedResponse, 'chunks' | 'drop'>>();
  const buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let outcome: { readonly error?: Error } | undefined;
  let wake = (): void => {};
  // Negative until the reader drops the response.
  let drained = -1;

  const finish = (error?: Error): void => {
    if (outcome !== undefined) return;
    outcome = error === undefined ? {} : { error };
    signal.removeEventListener('abort', onAbort);
    onEnd();
    if (error !== undefined) head.reject(error);
    wake();
  };
  const stop = (): void => {
    const reason = new HearthError('cancelled', 'the transfer was canceled');
    finish(reason);
    controller?.abort(reason);
  };
  const onAbort = (): void => stop();
  const drain = (length: number): void => {
    drained += length;
    if (drained > maxDrained) stop();
  };

  signal.addEventListener('abort', onAbort);
  if (signal.aborted) stop();
  else
    dispatcher.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (outcome !== undefined) stop();
      },
      onResponseStart(_, status, headers) {
        // Ignores informational responses.
        if (status >= 200) head.resolve({ status, headers });
      },
      onResponseData(_, chunk) {
        if (drained >= 0) return drain(chunk.byteLength);
        buffered.push(chunk);
        bufferedBytes += chunk.byteLength;
        if (bufferedBytes >= maxBuffered) controller?.pause();
        wake();
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => finish(error),
    });

  /** False at the end of the body. */
  const waitForChunk = async (): Promise<boolean> => {
    if (buffered.length > 0) return true;
    if (outcome?.error) throw outcome.error;
    if (outcome) return false;
    const more = createDeferred<void>();
    wake = more.resolve;
    // May deliver a chunk synchronously.
    if (controller?.paused) controller.resume();
    await more.promise;
    return waitForChunk();
  };
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      while (await waitForChunk()) {
        const chunk = buffered.shift() as Buffer;
        bufferedBytes -= chunk.byteLength;
        yield chunk;
      }
    } finally {
      drop();
    }
  }
  const drop = (): void => {
    if (outcome !== undefined || drained >= 0) return;
    drained = 0;
    buffered.length = 0;
    drain(bufferedBytes);
    if (outcome === undefined && controller?.paused) controller.resume();
  };
  return { ...(await head.promise), chunks: chunks(), drop };
}
