// Tokens that were chosen together, before each request asks for its own.

import type { ChoiceJob, ChoicePool } from './choice-pool.ts';

export interface ChoicesAhead {
  /** Makes choices with several threads if there are some. Forgets the choices before. */
  choose(jobs: readonly ChoiceJob[]): void;
  /** The token that was chosen from these logits; undefined if none was. A second call returns undefined. */
  take(logits: Float32Array): number | undefined;
}

export function createChoicesAhead(pool?: Pick<ChoicePool, 'run'>): ChoicesAhead {
  const known = new Map<Float32Array, number>();
  return {
    choose(jobs) {
      known.clear();
      pool?.run(jobs).forEach((token, index) => {
        const job = jobs[index];
        if (job !== undefined) known.set(job.logits, token);
      });
    },
    take(logits) {
      const token = known.get(logits);
      // The logits may have changed by the next time.
      known.delete(logits);
      return token;
    },
  };
}
