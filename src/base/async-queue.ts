// A queue between a producer (a socket, a callback) and one consumer that iterates.
// Waiting items can be merged, so that a slow consumer costs one item of memory, not one per event.

export interface AsyncQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** The consumer receives the queued items, then the end. */
  end(): void;
  /** The consumer receives the queued items, then this error. */
  fail(error: Error): void;
}

interface AsyncQueueOptions<T> {
  /** Merges a new item into the last waiting one, or returns undefined to keep them apart. */
  readonly merge?: (waiting: T, next: T) => T | undefined;
}

export function createAsyncQueue<T>({ merge }: AsyncQueueOptions<T> = {}): AsyncQueue<T> {
  const waiting: T[] = [];
  let closed: { readonly error?: Error } | undefined;
  let wake: (() => void) | undefined;

  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const close = (outcome: { readonly error?: Error }): void => {
    closed ??= outcome;
    notify();
  };

  const next = async (): Promise<IteratorResult<T>> => {
    for (;;) {
      const item = waiting.shift();
      if (item !== undefined) return { done: false, value: item };
      if (closed?.error) {
        const { error } = closed;
        closed = {};
        throw error;
      }
      if (closed) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const leave = async (): Promise<IteratorResult<T>> => {
    waiting.length = 0;
    closed = {};
    return { done: true, value: undefined };
  };

  return {
    push(item) {
      if (closed) return;
      const last = waiting.at(-1);
      const merged = last === undefined ? undefined : merge?.(last, item);
      if (merged === undefined) waiting.push(item);
      else waiting[waiting.length - 1] = merged;
      notify();
    },
    end: () => close({}),
    fail: (error) => close({ error }),
    // Not a generator, whose items cost three promises each.
    [Symbol.asyncIterator]: () => ({ next, return: leave }),
  };
}
