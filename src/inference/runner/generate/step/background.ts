// Requests in the background: they get the slots and passes that no other request needs. They stand still in their slots
// while another one has something to do, and yield their slots to those that wait.

import { chunkAt } from '../../vision/image-positions.ts';
import { hasBegun, type Sequence } from '../sequence/sequence.ts';

const isForeground = ({ background }: Sequence): boolean => !background;

/** The requests that the next step serves. */
export function servedBy(live: readonly Sequence[]): readonly Sequence[] {
  if (live.every(isForeground)) return live;
  const foreground = live.filter(isForeground);
  return foreground.every(isHeld) ? live : foreground;
}

/** The waiting requests that can get a slot. One slot stays free for those that come. */
export function admissible(
  waiting: readonly Sequence[],
  live: readonly Sequence[],
  slotCount: number,
): readonly Sequence[] {
  if (waiting.every(isForeground)) return waiting;
  const foreground = waiting.filter(isForeground);
  if (foreground.length > 0) return foreground;
  const hasRoom = live.length < Math.max(1, slotCount - 1);
  return hasRoom && !live.some(isForeground) ? waiting : [];
}

/**
 * The request in the background that yields its slot: the last one, because no other one moves to another slot then. Not one
 * whose context is full, which is shifted first, and not one that reports the probabilities of its prompt.
 */
export function backgroundToYield(live: readonly Sequence[], contextLength: number): Sequence | undefined {
  return live.findLast(
    (sequence) =>
      sequence.background &&
      sequence.tokens.length <= contextLength &&
      (sequence.promptScores === undefined || hasBegun(sequence)),
  );
}

/** Whether it has nothing to do: another sequence evaluates its prompt, or its image is encoded. */
export function isHeld(sequence: Sequence): boolean {
  return sequence.following !== undefined || waitsForImage(sequence);
}

/** Begins to encode the image. */
export function waitsForImage({ images, evaluated, following }: Sequence): boolean {
  return following === undefined && chunkAt(images, evaluated)?.prepare() === false;
}
