// Lets in so many at a time; the others wait in the order in which they came. With room for one it is a lock.

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(room: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside < room) inside++;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      // The place is handed over, so that nobody who comes now can slip in.
      const next = waiting.shift();
      if (next === undefined) inside--;
      else next();
    }
  };
}
