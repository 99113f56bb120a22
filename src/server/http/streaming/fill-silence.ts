// Inserts objects into a stream that is silent for a while: proxies and clients give up on a connection without bytes.

import type { Clock } from '../../../base/time/clock.ts';

interface FillSilenceOptions<T> {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly filler: () => T;
  /** Also before the first object. Otherwise an error before it still gets a status. */
  readonly fillsStart?: boolean;
}

export async function* fillSilence<T>(
  objects: AsyncIterable<T>,
  { clock, intervalMs, filler, fillsStart = false }: FillSilenceOptions<T>,
): AsyncGenerator<T> {
  const iterator = objects[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (let mayFill = fillsStart; ; mayFill = true) {
      const result = mayFill ? await firstOf(next, { clock, intervalMs }) : await next;
      if (result === undefined) yield filler();
      else if (result.done) return;
      else {
        yield result.value;
        next = iterator.next();
      }
    }
  } finally {
    await iterator.return?.();
  }
}

/** Undefined if nothing comes within the intervalMs. */
async function firstOf<Result>(
  next: Promise<Result>,
  { clock, intervalMs }: Pick<FillSilenceOptions<unknown>, 'clock' | 'intervalMs'>,
): Promise<Result | undefined> {
  let timer: ReturnType<Clock['after']> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = clock.after(intervalMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    timer?.cancel();
  }
}
