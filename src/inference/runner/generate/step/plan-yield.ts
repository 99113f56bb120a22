// Decides which request yields its slot to a waiting one, as a function of plain data. A request keeps its slot for a
// while: continuing it later costs a copy of its part of the KV cache.

import { countSlots } from './slot-order.ts';

interface SlotHolder {
  readonly client: string;
  /** The weight of the client; absent: 1. */
  readonly weight?: number;
  /**
   * The time in nanoseconds, since when it generates in its slot. Absent if it cannot yield now: while a prompt is
   * evaluated, there would be nothing gained from its turn.
   */
  readonly generatingSince: number | undefined;
}

interface YieldSituation {
  /** The client of the waiting request. */
  readonly client: string;
  /** Absent: 1. */
  readonly weight?: number;
  readonly now: number;
  /** Nanoseconds that a request may generate before it yields. */
  readonly slotNanoseconds: number;
}

/** The request of the client with the most slots, in relation to its weight, that has generated for the longest time; undefined if none yields. */
export function planYield<Holder extends SlotHolder>(
  live: readonly Holder[],
  { client, weight = 1, now, slotNanoseconds }: YieldSituation,
): Holder | undefined {
  const slots = countSlots(live);
  const shareOf = ({ client: name, weight: relative = 1 }: Pick<SlotHolder, 'client' | 'weight'>): number =>
    (slots.get(name) ?? 0) / relative;
  const own = shareOf({ client, weight });
  const sinceOf = ({ generatingSince = Number.POSITIVE_INFINITY }: SlotHolder): number => generatingSince;
  const [longest] = live
    .filter((holder) => shareOf(holder) > own && now - sinceOf(holder) >= slotNanoseconds)
    .sort((a, b) => shareOf(b) - shareOf(a) || sinceOf(a) - sinceOf(b));
  return longest;
}
