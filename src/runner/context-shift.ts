// Makes room in a full context: the first `keep` tokens stay, the older half of the rest goes, what is left moves up.

import type { EngineContext } from './llama/context.ts';
import type { Sequence } from './sequence.ts';

/** False where the model does not allow it; the answer then ends. */
export function shiftContext(context: EngineContext, sequence: Sequence): boolean {
  const { slot, keep, evaluated } = sequence;
  const count = Math.floor((evaluated - keep) / 2);
  if (slot === undefined || !context.canShift || count < 1) return false;
  context.shift(slot, { keep, count, length: evaluated });
  sequence.tokens.splice(keep, count);
  sequence.evaluated -= count;
  sequence.pure = Math.min(sequence.pure, keep);
  return true;
}
