// Decides which request yields its slot to a waiting one, as a function of plain data. A request keeps its slot for a
// while: continuing it later costs a copy of its part of the KV cache.

import { countSlots } from './turns.ts';

export interface SlotHolder {
  readonly client: string;
  /** Nanoseconds, since when it generates in its slot. Absent if it cannot yield now: while a prompt is evaluated,
   * there would be nothing gained from its turn. */
  readonly generatingSince: number | undefined;
}

export interface YieldSituation {
  /** The client of the waiting request. */
  readonly client: string;
  readonly now: number;
  /** Nanoseconds that a request may generate before it yields. */
  readonly slotNanoseconds: number;
}

/** The request of the client with the most slots that has generated for the longest time; undefined if none yields. */
export function planYield<Holder extends SlotHolder>(
  live: readonly Holder[],
  { client, now, slotNanoseconds }: YieldSituation,
): Holder | undefined {
  const slots = countSlots(live);
  const slotsOf = (name: string): number => slots.get(name) ?? 0;
  const sinceOf = ({ generatingSince = Number.POSITIVE_INFINITY }: SlotHolder): number => generatingSince;
  const [longest] = live
    .filter((holder) => slotsOf(holder.client) > slotsOf(client) && now - sinceOf(holder) >= slotNanoseconds)
    .sort((a, b) => slotsOf(b.client) - slotsOf(a.client) || sinceOf(a) - sinceOf(b));
  return longest;
}
