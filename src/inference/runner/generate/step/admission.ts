// Requests that wait for a slot. Free slots go to the clients in turn.

import type { Sequence } from '../sequence.ts';
import type { StepSources } from './step-sources.ts';
import { createTurns } from './turns.ts';

export interface Admission {
  readonly waiting: number;
  add(sequence: Sequence): void;
  /** Gives the free slots to waiting requests. */
  admit(): void;
  /** Takes a request out of the queue; undefined if it is not waiting. */
  remove(id: number): Sequence | undefined;
}

export function createAdmission({ slots, clock }: Pick<StepSources, 'slots' | 'clock'>): Admission {
  const waiting: Sequence[] = [];
  const turns = createTurns<Sequence>();

  return {
    get waiting() {
      return waiting.length;
    },
    add: (sequence) => waiting.push(sequence),
    admit() {
      while (waiting.length > 0 && slots.free > 0) {
        const sequence = turns.next(waiting, slots.live);
        waiting.splice(waiting.indexOf(sequence), 1);
        sequence.admittedAt = clock.monotonic();
        slots.admit(sequence);
      }
    },
    remove(id) {
      const index = waiting.findIndex((sequence) => sequence.id === id);
      return index === -1 ? undefined : waiting.splice(index, 1)[0];
    },
  };
}
