// The body of a response, chunk by chunk. Each read returns everything that has arrived. A stream of Node and its iterator
// would cost several promises and events per chunk.

import type { Clock, Timer } from '../../../base/time/clock.ts';

export interface RemoteResponseBody {
  /** Leaving the loop closes the connection, unless the response was called complete. */
  readonly chunks: AsyncIterableIterator<Uint8Array>;
  /** The next read waits so many milliseconds for more, unless the response ends. */
  collect(milliseconds: number): void;
  /** The rest is of no interest. The connection is used again if the response ends soon. */
  complete(): void;
}

/** What the connection calls. */
interface BodySink {
  add(chunk: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
}

interface BodyOptions {
  readonly clock: Clock;
  /** Until `resume`, the connection reads nothing more. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Closes the connection. */
  readonly abort: () => void;
  /** No chunk is read any more. */
  readonly onEnd: () => void;
}

// Bytes that wait for a slow reader.
const maxWaiting = 64 * 1024;
// Bytes and milliseconds that may follow a complete answer.
const maxRest = 16 * 1024;
const restTime = 1000;

type Read = IteratorResult<Uint8Array, undefined>;

export function createResponseBody({ clock, pause, resume, abort, onEnd }: BodyOptions): BodySink & RemoteResponseBody {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let isPaused = false;
  let isComplete = false;
  let hasEnded = false;
  let failure: Error | undefined;
  let collecting: Timer | undefined;
  /** Undefined until the reader has left. */
  let rest: { bytes: number; readonly timer?: Timer } | undefined;
  let reader: { resolve(read: Read): void; reject(error: Error): void } | undefined;

  const take = (): Read => {
    const [only, ...others] = waiting;
    const value = only !== undefined && others.length === 0 ? only : Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
    if (isPaused) {
      isPaused = false;
      resume();
    }
    return { done: false, value };
  };
  const stopCollecting = (): void => {
    collecting?.cancel();
    collecting = undefined;
  };
  const leave = (): void => {
    if (rest !== undefined) return;
    stopCollecting();
    onEnd();
    waiting = [];
    bytes = 0;
    const isOpen = !hasEnded && failure === undefined;
    rest = { bytes: 0, timer: isOpen && isComplete ? clock.after(restTime, abort) : undefined };
    if (isOpen && !isComplete) abort();
    else if (isPaused) resume();
  };

  /** Serves the reader if there is one, and something for it. */
  const serve = (): void => {
    if (reader === undefined || (collecting !== undefined && bytes < maxWaiting)) return;
    const { resolve, reject } = reader;
    if (bytes > 0) {
      reader = undefined;
      stopCollecting();
      resolve(take());
    } else if (failure !== undefined || hasEnded || rest !== undefined) {
      reader = undefined;
      leave();
      if (failure === undefined) resolve({ done: true, value: undefined });
      else reject(failure);
    }
  };
  /** There is nothing to wait for. */
  const finish = (): void => {
    stopCollecting();
    rest?.timer?.cancel();
    serve();
  };

  return {
    chunks: {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () =>
        new Promise<Read>((resolve, reject) => {
          reader = { resolve, reject };
          serve();
        }),
      async return() {
        leave();
        serve();
        return { done: true, value: undefined };
      },
    },
    collect(milliseconds) {
      if (hasEnded || failure !== undefined) return;
      stopCollecting();
      collecting = clock.after(milliseconds, () => {
        collecting = undefined;
        serve();
      });
    },
    complete() {
      isComplete = true;
    },
    add(chunk) {
      if (rest !== undefined) {
        rest.bytes += chunk.length;
        if (rest.bytes > maxRest) abort();
        return;
      }
      waiting.push(chunk);
      bytes += chunk.length;
      serve();
      if (bytes < maxWaiting || isPaused) return;
      isPaused = true;
      pause();
    },
    end() {
      hasEnded = true;
      finish();
    },
    fail(error) {
      failure ??= error;
      finish();
    },
  };
}
