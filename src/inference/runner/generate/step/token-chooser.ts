// Chooses the next token of a sequence, sends its text, and ends the sequence if that was its last token.

import type { CountersOf } from '../../../protocol/counters.ts';
import type { DoneEvent } from '../../../protocol/messages.ts';
import type { Sequence } from '../sequence.ts';
import type { Finisher } from './finisher.ts';
import { sendText } from './sequence-events.ts';
import type { StepSources } from './step-sources.ts';

/** `row` has the logits of the sequence's last token. */
export type TokenChooser = (sequence: Sequence, row: number) => void;

export interface TokenChooserOptions extends Pick<StepSources, 'vocabulary' | 'outbox' | 'clock'> {
  readonly counters: Pick<CountersOf<'generation'>, 'tokensGenerated'>;
  readonly finisher: Finisher;
}

export function createTokenChooser(options: TokenChooserOptions): TokenChooser {
  const { vocabulary, outbox, clock, counters, finisher } = options;

  /** Returns undefined if the answer continues. */
  const sendPiece = (sequence: Sequence, piece: Buffer): DoneEvent['reason'] | undefined => {
    sendText(outbox, sequence, sequence.text.push(piece));
    if (sequence.text.stopSequence !== undefined) return 'stop';
    const exhausted = sequence.generated >= sequence.budget || sequence.guard.exceeds(piece.toString('latin1'));
    return exhausted ? 'length' : undefined;
  };

  return (sequence, row) => {
    let token: number;
    try {
      token = sequence.sampler.sample(row);
    } catch (error) {
      finisher.fail(sequence, error);
      return;
    }
    sequence.generatingSince ??= clock.monotonic();
    if (sequence.generated === 0) sequence.firstTokenAt = sequence.generatingSince;
    sequence.generated++;
    counters.tokensGenerated++;
    sequence.tokens.push(token);
    const reason = vocabulary.isEnd(token) ? 'stop' : sendPiece(sequence, sequence.pieceOf(token));
    if (reason !== undefined) finisher.finish(sequence, reason);
  };
}
