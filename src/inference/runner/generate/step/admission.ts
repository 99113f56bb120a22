// Requests that wait for a slot. Slots go to the clients in turn. If none is free, a request of a client with more slots
// yields its own after a time (docs/adr/0020). It continues later where it stopped.

import type { CountersOf } from '../../../protocol/counters.ts';
import type { Sequence } from '../sequence/sequence.ts';
import { admissible, backgroundToYield } from './background.ts';
import { planYield } from './plan-yield.ts';
import { SlotOrder } from './slot-order.ts';
import type { StepSources } from './step-sources.ts';

// Each keeps its tokens, its sampler and its images. If there are so many, slots are yielded among them only.
const maxPaused = 64;

export class Admission {
  readonly #sources: StepSources;
  readonly #counters: CountersOf<'generation'>;
  /** Requests that have yielded their slot. They come before other requests of their client, which have not begun. */
  readonly #paused: Sequence[] = [];
  readonly #fresh: Sequence[] = [];
  readonly #order = new SlotOrder();

  constructor(sources: StepSources, counters: CountersOf<'generation'>) {
    this.#sources = sources;
    this.#counters = counters;
  }

  get waiting(): number {
    return this.#paused.length + this.#fresh.length;
  }

  add(sequence: Sequence): void {
    this.#fresh.push(sequence);
  }

  /** Gives slots to waiting requests. */
  admit(): void {
    const { slots } = this.#sources;
    if (this.waiting === 0 || slots.copying) return;
    if (this.#sources.hasDeviceMemory) this.#fillFree();
    for (let waiting = this.#candidates(); waiting.length > 0; waiting = this.#candidates()) {
      // Chosen before another request yields, which then waits too.
      const next = this.#order.next(waiting, slots.live);
      if (!this.#makeFree(next)) return;
      this.remove(next.id);
      this.#start(next);
      this.#order.taken(next);
    }
  }

  /**
   * Gives the free slots to those that are due, in the order of their lengths. llama.cpp evaluates prompts of adjacent slots
   * together, and those that are left where shorter ones end must be adjacent, too.
   */
  #fillFree(): void {
    const { slots } = this.#sources;
    const chosen: Sequence[] = [];
    while (chosen.length < slots.free) {
      const live = [...slots.live, ...chosen];
      const waiting = this.#admissible([...this.#paused, ...this.#fresh], live);
      if (waiting.length === 0) break;
      const next = this.#order.next(waiting, live);
      this.remove(next.id);
      this.#order.taken(next);
      chosen.push(next);
    }
    chosen.sort((a, b) => a.tokens.length - b.tokens.length);
    for (const sequence of chosen) this.#start(sequence);
  }

  /** Takes a request out of the queue; undefined if it is not waiting. */
  remove(id: number): Sequence | undefined {
    for (const queue of [this.#paused, this.#fresh]) {
      const index = queue.findIndex((sequence) => sequence.id === id);
      if (index !== -1) return queue.splice(index, 1)[0];
    }
    return undefined;
  }

  #candidates(): readonly Sequence[] {
    const { slots } = this.#sources;
    const paused = this.#paused.filter(({ background }) => !background);
    const isFull = slots.free === 0 && paused.length >= maxPaused;
    return this.#admissible(isFull ? paused : [...this.#paused, ...this.#fresh], slots.live);
  }

  #admissible(waiting: readonly Sequence[], live: readonly Sequence[]): readonly Sequence[] {
    const { slots } = this.#sources;
    return admissible(waiting, live, slots.live.length + slots.free);
  }

  /** Makes a slot free for this request. False if all requests keep theirs. */
  #makeFree({ client, weight, background }: Sequence): boolean {
    const { slots, clock, contextLength, slotNanoseconds } = this.#sources;
    if (slots.free > 0) return true;
    const other = background ? undefined : backgroundToYield(slots.live, contextLength);
    if (other !== undefined) {
      this.#pause(other);
      return true;
    }
    const holders = slots.live.map((sequence) => ({
      sequence,
      client: sequence.client,
      weight: sequence.weight,
      // A full context is shifted first. Otherwise its tokens could not be evaluated again.
      generatingSince: sequence.tokens.length <= contextLength ? sequence.generatingSince : undefined,
    }));
    const holder = planYield(holders, { client, weight, now: clock.monotonic(), slotNanoseconds });
    if (holder !== undefined) this.#pause(holder.sequence);
    return holder !== undefined;
  }

  #pause(sequence: Sequence): void {
    this.#sources.slots.pause(sequence);
    sequence.following = undefined;
    sequence.generatingSince = undefined;
    sequence.pausedAt = this.#sources.clock.monotonic();
    this.#paused.push(sequence);
    this.#counters.slotsYielded++;
  }

  #start(sequence: Sequence): void {
    const now = this.#sources.clock.monotonic();
    if (sequence.pausedAt === undefined) sequence.admittedAt = now;
    else sequence.pausedNanoseconds += now - sequence.pausedAt;
    sequence.pausedAt = undefined;
    this.#sources.slots.admit(sequence);
  }
}
