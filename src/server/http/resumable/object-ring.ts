// The last objects of a stream, which several readers can follow from any number on. Objects are numbered from 0.

import { createDeferred } from '../../../base/deferred.ts';
import { HearthError } from '../../../base/errors.ts';

// Bytes of an object besides its text.
const objectOverhead = 200;

export function createObjectRing() {
  const kept = new Map<number, { readonly object: object; readonly bytes: number }>();
  // The numbers of the oldest object that is kept, and of the next one.
  let first = 0;
  let next = 0;
  let total = 0;
  let ended: { readonly error?: HearthError } | undefined;
  let changed = createDeferred<void>();

  const notify = (): void => {
    changed.resolve();
    changed = createDeferred();
  };
  const checkKept = (number: number): void => {
    if (number < first)
      throw new HearthError('answer_dropped', `only the objects from ${first} on are kept, and not ${number}`);
  };

  async function* followFrom(from: number, signal: AbortSignal): AsyncGenerator<object> {
    signal.addEventListener('abort', notify);
    try {
      for (let number = from; !signal.aborted; ) {
        checkKept(number);
        const found = kept.get(number);
        if (found) {
          yield found.object;
          number++;
        } else if (ended) {
          if (ended.error) throw ended.error;
          return;
        } else await changed.promise;
      }
    } finally {
      signal.removeEventListener('abort', notify);
    }
  }

  return {
    /** The number of the first object that is kept. */
    first: (): number => first,
    /** The size of the objects that are kept; an estimate. */
    bytes: (): number => total,
    /** Returns the bytes of the object. */
    append(object: object): number {
      const bytes = JSON.stringify(object).length + objectOverhead;
      kept.set(next++, { object, bytes });
      total += bytes;
      notify();
      return bytes;
    },
    /** Returns the bytes of the object that was dropped; 0 if none was left. */
    dropOldest(): number {
      const bytes = kept.get(first)?.bytes ?? 0;
      if (kept.delete(first)) first++;
      total -= bytes;
      return bytes;
    },
    /** Readers get the rest, then the error if there is one. */
    end(error?: HearthError): void {
      ended ??= error === undefined ? {} : { error };
      notify();
    },
    /**
     * The objects with this number and higher ones, until the end or until the signal aborts. Throws `answer_dropped` if the
     * first of them is not kept any more, also later if the reader is too slow.
     */
    follow(from: number, signal: AbortSignal): AsyncGenerator<object> {
      checkKept(from);
      return followFrom(from, signal);
    },
  };
}

export type ObjectRing = ReturnType<typeof createObjectRing>;
