// Ends sequences: reports the result, then frees the slot, the sampler and the images.

import type { DoneEvent } from '../../../protocol/messages.ts';
import { toFailedEvent } from '../../to-failed-event.ts';
import type { Sequence } from '../sequence.ts';
import { dropDraft } from '../speculation/drop-draft.ts';
import { toDoneEvent, writeText } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';

export interface Finisher {
  finish(sequence: Sequence, reason: DoneEvent['reason']): void;
  fail(sequence: Sequence, error: unknown): void;
  /** Ends a sequence without an event. */
  release(sequence: Sequence): void;
}

export function createFinisher({
  context,
  vocabulary,
  slots,
  outbox,
  clock,
}: Pick<StepSources, 'context' | 'vocabulary' | 'slots' | 'outbox' | 'clock'>): Finisher {
  const release = (sequence: Sequence): void => {
    // Not part of what the prefix cache keeps.
    dropDraft(context, sequence);
    slots.release(sequence);
    sequence.sampler.free();
    sequence.releaseImages();
  };

  return {
    finish(sequence, reason) {
      writeText(outbox, sequence, { atEnd: true });
      outbox.send(toDoneEvent(vocabulary, sequence, { reason, endedAt: clock.monotonic() }));
      release(sequence);
    },
    fail(sequence, error) {
      writeText(outbox, sequence, { atEnd: false });
      // A failed pass may have changed its cells: nothing of them is reused.
      sequence.pure = 0;
      outbox.send(toFailedEvent(sequence.id, error));
      release(sequence);
    },
    release,
  };
}
