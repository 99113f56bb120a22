// Runs at most `max` operations at once; the others wait in order of arrival. With a limit of one it is a mutex.

type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < max) running++;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      // The permit passes to the first waiter directly, so that no later caller can overtake it.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
