// Makes room in a full context: keeps the first `keep` tokens, removes the older half of the rest, and moves the others
// up. An image at the border is removed entirely.

import type { EngineContext } from '../../llama/context.ts';
import { imageEnd, positionOf, withoutRange } from '../../vision/image-positions.ts';
import type { Sequence } from '../sequence/sequence.ts';

/** False if the model does not support it. */
export function shiftContext(context: EngineContext, sequence: Sequence): boolean {
  const { slot, keep, evaluated, images } = sequence;
  const end = imageEnd(images, keep + Math.floor((evaluated - keep) / 2));
  const count = end - keep;
  if (slot === undefined || !context.canShift || count < 1) return false;
  const [from, to, length] = [keep, end, evaluated].map((index) => positionOf(images, index)) as [
    number,
    number,
    number,
  ];
  context.shift(slot, { keep: from, count: to - from, length });
  sequence.tokens.splice(keep, count);
  sequence.images = withoutRange(images, keep, count);
  sequence.evaluated -= count;
  sequence.pure = Math.min(sequence.pure, keep);
  return true;
}

/**
 * Moves the cells of a sequence together after a shift. The sums of attention depend on the order of the cells, and a
 * pause closes the gaps too: without this, an answer with a pause would be rounded differently. llama.cpp shifts in the
 * next decode, so this comes after it. On a GPU it would stop all streams, and a pause is rare.
 */
export function closeGaps(context: EngineContext, { slot, id }: Sequence): 'done' {
  if (context.copiesOnDevice) return 'done';
  if (slot === undefined) throw new Error(`request ${id} has no slot`);
  const snapshot = context.snapshot(slot);
  context.forget(slot, 0);
  if (!context.restore(slot, snapshot)) throw new Error('the KV cache of a sequence cannot be restored');
  return 'done';
}

/** Removes the cells of a draft that were not verified. False if the model cannot remove them. */
export function dropDraft(context: Pick<EngineContext, 'forget'>, sequence: Sequence): boolean {
  const { draftCells, slot, images, evaluated } = sequence;
  if (draftCells === 0 || slot === undefined) return true;
  sequence.draftCells = 0;
  return context.forget(slot, positionOf(images, evaluated));
}
