// Writes the text of chosen tokens, and ends sequences at a stop sequence, or if they repeat themselves. Mostly the tokens of
// a moment are written together, right before they are sent: after a pass, little of this code is left in the caches of the
// processor. A GPU computes the next pass meanwhile, so that it takes no time there. A sequence that ends then was evaluated
// in vain once.

import type { Sequence } from '../sequence.ts';
import type { Finisher } from './finisher.ts';
import { isSentAtOnce, writeForced, writeText } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';

export interface TextWriter {
  /** The last token of the sequence is to be written. */
  add(sequence: Sequence): void;
  /** Writes all tokens that were added. */
  write(): void;
  /** Writes all tokens if text is to be sent now. Otherwise only those that may end their sequence. */
  writeDue(): void;
  /** Writes all tokens if one is the first of its answer. Returns whether it was so. */
  writeFirst(): boolean;
  /** Writes a text that the model did not choose, after its tokens. Their text may end the sequence. */
  force(sequence: Sequence, text: string): void;
  /** Ends a sequence whose last tokens end it: with a stop sequence, or by repeating themselves. */
  check(sequence: Sequence): void;
}

export interface TextWriterOptions extends Pick<StepSources, 'outbox'> {
  readonly finisher: Finisher;
}

export function createTextWriter({ outbox, finisher }: TextWriterOptions): TextWriter {
  // Those with unwritten tokens, and some that have ended since.
  const waiting = new Set<Sequence>();
  // Those whose last token may repeat the ones before it.
  const unchecked: Sequence[] = [];
  let isUrgent = false;
  let hasFirst = false;

  const write = (sequence: Sequence): void => {
    waiting.delete(sequence);
    // It has ended, with all its text.
    if (sequence.unwritten.length === 0) return;
    writeText(outbox, sequence, { atEnd: false });
    if (sequence.text.stopSequence !== undefined) finisher.finish(sequence, 'stop');
  };

  const checkStop = (sequence: Sequence): void => {
    if (sequence.text.canStop || sequence.unwritten.length === 0) write(sequence);
  };

  const endRepetitions = (): void => {
    for (const sequence of unchecked) {
      const { guard, pieceOf, tokens } = sequence;
      if (!guard.exceeds(pieceOf(tokens.at(-1) as number).trimmed)) continue;
      checkStop(sequence);
      if (sequence.slot !== undefined) finisher.finish(sequence, 'length');
    }
    unchecked.length = 0;
  };

  const writeAll = (): void => {
    endRepetitions();
    isUrgent = false;
    hasFirst = false;
    for (const sequence of waiting) write(sequence);
  };

  return {
    add(sequence) {
      sequence.unwritten.push(sequence.tokens.at(-1) as number);
      waiting.add(sequence);
      unchecked.push(sequence);
      isUrgent ||= isSentAtOnce(sequence);
      hasFirst ||= sequence.generated === 1;
    },
    write: writeAll,
    writeDue() {
      if (waiting.size === 0) return;
      endRepetitions();
      if (isUrgent || outbox.isDue()) writeAll();
      else for (const sequence of waiting) checkStop(sequence);
    },
    writeFirst() {
      const isFirst = hasFirst;
      if (isFirst) writeAll();
      return isFirst;
    },
    force(sequence, text) {
      endRepetitions();
      write(sequence);
      if (sequence.slot !== undefined) writeForced(outbox, sequence, text);
    },
    check(sequence) {
      endRepetitions();
      checkStop(sequence);
    },
  };
}
