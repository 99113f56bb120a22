// Writes the text of chosen tokens, and ends sequences at a stop sequence or if they repeat themselves. A GPU computes the
// next pass meanwhile, so that it takes no time there. A sequence that ends then was evaluated in vain once.

import type { DoneEvent } from '../../../protocol/messages.ts';
import type { AnswerPiece } from '../answer-pieces.ts';
import type { Sequence } from '../sequence.ts';
import type { Finisher } from './finisher.ts';
import { sendText } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';

export interface TextWriter {
  /** The last token of the sequence is to be written. */
  add(sequence: Sequence): void;
  /** Writes all tokens that were added. */
  write(): void;
  /** Writes the token of one sequence, if it was added. */
  writeOne(sequence: Sequence): void;
}

export interface TextWriterOptions extends Pick<StepSources, 'outbox'> {
  readonly finisher: Finisher;
}

export function createTextWriter({ outbox, finisher }: TextWriterOptions): TextWriter {
  const added: Sequence[] = [];

  const writeToken = (sequence: Sequence): void => {
    const piece = sequence.pieceOf(sequence.tokens.at(-1) as number);
    sendText(outbox, sequence, sequence.text.push(piece));
    const reason = reasonToEnd(sequence, piece);
    if (reason !== undefined) finisher.finish(sequence, reason);
  };

  return {
    add: (sequence) => void added.push(sequence),
    write() {
      if (added.length === 0) return;
      for (const sequence of added) writeToken(sequence);
      added.length = 0;
    },
    writeOne(sequence) {
      const index = added.indexOf(sequence);
      if (index === -1) return;
      added.splice(index, 1);
      writeToken(sequence);
    },
  };
}

/** Undefined if the answer continues. */
function reasonToEnd(
  { text, generated, budget, guard }: Sequence,
  { trimmed }: AnswerPiece,
): DoneEvent['reason'] | undefined {
  if (text.stopSequence !== undefined) return 'stop';
  return generated >= budget || guard.exceeds(trimmed) ? 'length' : undefined;
}
