// Requests that wait for a slot. Slots go to the clients in turn. If none is free, a request of a client with more slots
// yields its own after a time (docs/adr/0020). It continues later where it stopped.

import type { CountersOf } from '../../../protocol/counters.ts';
import type { Sequence } from '../sequence.ts';
import { planYield } from './plan-yield.ts';
import type { StepSources } from './step-sources.ts';
import { createTurns } from './turns.ts';

export interface Admission {
  readonly waiting: number;
  add(sequence: Sequence): void;
  /** Gives slots to waiting requests. */
  admit(): void;
  /** Takes a request out of the queue; undefined if it is not waiting. */
  remove(id: number): Sequence | undefined;
}

export interface AdmissionOptions extends Pick<StepSources, 'slots' | 'clock' | 'contextLength' | 'slotNanoseconds'> {
  readonly counters: Pick<CountersOf<'generation'>, 'slotsYielded'>;
}

// Each keeps its tokens, its sampler and its images. If there are so many, slots are yielded among them only.
const maxPaused = 64;

export function createAdmission(options: AdmissionOptions): Admission {
  const { slots, clock, contextLength, slotNanoseconds, counters } = options;
  // Requests that have yielded their slot. They come before other requests of their client, which have not begun.
  const paused: Sequence[] = [];
  const fresh: Sequence[] = [];
  const turns = createTurns();

  const toHolder = (sequence: Sequence) => ({
    sequence,
    client: sequence.client,
    weight: sequence.weight,
    // A full context is shifted first. Otherwise its tokens could not be evaluated again.
    generatingSince: sequence.tokens.length <= contextLength ? sequence.generatingSince : undefined,
  });

  const listCandidates = (): Sequence[] =>
    slots.free === 0 && paused.length >= maxPaused ? paused : [...paused, ...fresh];

  /** Makes a slot free for this request. False if all requests keep theirs. */
  const makeFree = (next: Sequence): boolean => {
    if (slots.free > 0) return true;
    const situation = { client: next.client, weight: next.weight, now: clock.monotonic(), slotNanoseconds };
    const holder = planYield(slots.live.map(toHolder), situation);
    if (holder === undefined) return false;
    pause(holder.sequence);
    return true;
  };

  const pause = (sequence: Sequence): void => {
    slots.pause(sequence);
    sequence.generatingSince = undefined;
    sequence.pausedAt = clock.monotonic();
    paused.push(sequence);
    counters.slotsYielded++;
  };

  const start = (sequence: Sequence): void => {
    const now = clock.monotonic();
    if (sequence.pausedAt === undefined) sequence.admittedAt = now;
    else sequence.pausedNanoseconds += now - sequence.pausedAt;
    sequence.pausedAt = undefined;
    slots.admit(sequence);
    turns.taken(sequence);
  };

  const remove = (id: number): Sequence | undefined => {
    for (const queue of [paused, fresh]) {
      const index = queue.findIndex((sequence) => sequence.id === id);
      if (index !== -1) return queue.splice(index, 1)[0];
    }
    return undefined;
  };

  return {
    get waiting() {
      return paused.length + fresh.length;
    },
    add: (sequence) => fresh.push(sequence),
    admit() {
      if (slots.copying) return;
      for (let candidates = listCandidates(); candidates.length > 0; candidates = listCandidates()) {
        // Chosen before another request yields, which then waits too.
        const next = turns.next(candidates, slots.live);
        if (!makeFree(next)) return;
        remove(next.id);
        start(next);
      }
    },
    remove,
  };
}
