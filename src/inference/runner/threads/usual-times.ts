export interface PassKind {
  readonly threads: number;
  /** At most maxWatchedTokens. */
  readonly tokens: number;
}

/** Passes with more tokens evaluate prompts. */
export const maxWatchedTokens = 16;
// Passes become slower as the context grows.
const growth = 1.05;

export function createUsualTimes() {
  // By the number of tokens, then by the number of threads.
  const times = Array.from({ length: maxWatchedTokens + 1 }, () => new Map<number, number>());
  const timesOf = (tokens: number): Map<number, number> => times[tokens] as Map<number, number>;
  return {
    /** The usual nanoseconds. Before the first pass of the kind, an estimate; undefined if there was no similar pass. */
    of: ({ threads, tokens }: PassKind): number | undefined =>
      timesOf(tokens).get(threads) ?? estimate(timesOf(tokens), threads),
    observe({ threads, tokens }: PassKind, time: number): void {
      const known = timesOf(tokens);
      known.set(threads, Math.min(time, (known.get(threads) ?? time) * growth));
    },
  };
}

export type UsualTimes = ReturnType<typeof createUsualTimes>;

/** A pass with half of the threads takes twice as long at most. With more threads it takes no longer. */
function estimate(known: ReadonlyMap<number, number>, threads: number): number | undefined {
  const estimates = Array.from(known, ([others, time]) => time * Math.max(1, others / threads));
  return estimates.length === 0 ? undefined : Math.min(...estimates);
}
