// How long passes of each kind take when nothing disturbs them: about as long as the fastest of the last ones.

export interface UsualTimes {
  /** Nanoseconds. Undefined before the first pass of the kind. */
  of(kind: PassKind): number | undefined;
  observe(kind: PassKind, time: number): void;
}

export interface PassKind {
  readonly threads: number;
  /** At most maxWatchedTokens. */
  readonly tokens: number;
}

/** Passes with more tokens evaluate prompts. */
export const maxWatchedTokens = 16;
// Passes become slower as the context grows.
const growth = 1.05;

export function createUsualTimes(): UsualTimes {
  const times = new Map<number, number>();
  const keyOf = ({ threads, tokens }: PassKind): number => threads * (maxWatchedTokens + 1) + tokens;
  return {
    of: (kind) => times.get(keyOf(kind)),
    observe(kind, time) {
      const key = keyOf(kind);
      times.set(key, Math.min(time, (times.get(key) ?? time) * growth));
    },
  };
}
