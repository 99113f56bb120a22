// Removes the cells of a draft that were not verified.

import type { EngineContext } from '../../llama/context.ts';
import { positionOf } from '../../vision/image-positions.ts';
import type { Sequence } from '../sequence.ts';

/** False if the model cannot remove them. */
export function dropDraft(context: Pick<EngineContext, 'forget'>, sequence: Sequence): boolean {
  const { draftCells, slot, images, evaluated } = sequence;
  if (draftCells === 0 || slot === undefined) return true;
  sequence.draftCells = 0;
  return context.forget(slot, positionOf(images, evaluated));
}
