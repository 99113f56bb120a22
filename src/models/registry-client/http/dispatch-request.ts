// One request and its answer, straight from the dispatcher: chunks are handed on as they come in, never joined or
// copied, and a reader that is slow slows the other side down.

import type { Dispatcher } from 'undici';
import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** An end that comes too soon is an error. To be read once. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Not read any further. A short rest is let pass, so that the connection can be used again. */
  drop(): void;
}

// Waits to be read, at most.
const maxWaiting = 512 * 1024;
// Cheaper to let pass than a new connection.
const shortRest = 64 * 1024;

export interface Watch {
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Nothing more will come. */
  readonly onEnd: () => void;
}

export async function dispatchRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, onEnd }: Watch,
): Promise<RawResponse> {
  const head = createDeferred<Omit<RawResponse, 'chunks' | 'drop'>>();
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let outcome: { readonly error?: Error } | undefined;
  let wake = (): void => {};
  let dropped = -1;

  const finish = (error?: Error): void => {
    if (outcome !== undefined) return;
    outcome = error === undefined ? {} : { error };
    signal.removeEventListener('abort', onAbort);
    onEnd();
    if (error !== undefined) head.reject(error);
    wake();
  };
  const stop = (): void => {
    const reason = new HearthError('cancelled', 'the transfer was given up');
    finish(reason);
    controller?.abort(reason);
  };
  const onAbort = (): void => stop();
  const takeDropped = (length: number): void => {
    dropped += length;
    if (dropped > shortRest) stop();
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
        // Those before the real one say only that it will come.
        if (status >= 200) head.resolve({ status, headers });
      },
      onResponseData(_, chunk) {
        if (dropped >= 0) return takeDropped(chunk.byteLength);
        waiting.push(chunk);
        waitingBytes += chunk.byteLength;
        if (waitingBytes >= maxWaiting) controller?.pause();
        wake();
      },
      onResponseEnd: () => finish(),
      onResponseError: (_, error) => finish(error),
    });

  /** False: there are no more. */
  const untilMore = async (): Promise<boolean> => {
    if (waiting.length > 0) return true;
    if (outcome?.error) throw outcome.error;
    if (outcome) return false;
    const more = createDeferred<void>();
    wake = more.resolve;
    // May bring some at once.
    if (controller?.paused) controller.resume();
    await more.promise;
    return untilMore();
  };
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      while (await untilMore()) {
        const chunk = waiting.shift() as Buffer;
        waitingBytes -= chunk.byteLength;
        yield chunk;
      }
    } finally {
      drop();
    }
  }
  const drop = (): void => {
    if (outcome !== undefined || dropped >= 0) return;
    dropped = 0;
    waiting.length = 0;
    takeDropped(waitingBytes);
    if (outcome === undefined && controller?.paused) controller.resume();
  };
  return { ...(await head.promise), chunks: chunks(), drop };
}
