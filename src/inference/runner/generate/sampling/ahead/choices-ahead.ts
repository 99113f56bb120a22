// Tokens that were chosen together, before each request asks for its own.

import type { ChoiceJob, ChoicePool } from './choice-pool.ts';

export interface ChoicesAhead {
  /** Makes choices with several threads if there are some: see ChoicePool. Forgets the choices before. */
  choose(count: number, prepare: (index: number) => ChoiceJob | undefined): void;
  /** The token that was chosen from these logits; undefined if none was. A second call returns undefined. */
  take(logits: Float32Array): number | undefined;
}

export function createChoicesAhead(pool?: Pick<ChoicePool, 'run'>): ChoicesAhead {
  const known = new Map<Float32Array, number>();
  return {
    choose(count, prepare) {
      if (pool === undefined) return;
      known.clear();
      for (const { logits, token } of pool.run(count, prepare)) known.set(logits, token);
    },
    take(logits) {
      const token = known.get(logits);
      // The logits may have changed by the next time.
      known.delete(logits);
      return token;
    },
  };
}
