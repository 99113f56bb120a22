// Chooses the next token of a sequence, and ends the sequence if that was its last token. Its text is written later, except
// that of the last one.

import type { CountersOf } from '../../../protocol/counters.ts';
import type { Sequence } from '../sequence.ts';
import type { Finisher } from './finisher.ts';
import type { StepSources } from './step-sources.ts';
import type { TextWriter } from './text-writer.ts';

/** `row` has the logits of the sequence's last token. */
export type TokenChooser = (sequence: Sequence, row: number) => void;

export interface TokenChooserOptions extends Pick<StepSources, 'vocabulary' | 'clock'> {
  readonly counters: Pick<CountersOf<'generation'>, 'tokensGenerated'>;
  readonly finisher: Finisher;
  readonly texts: TextWriter;
}

export function createTokenChooser(options: TokenChooserOptions): TokenChooser {
  const { vocabulary, clock, counters, finisher, texts } = options;

  /** Adds the tokens of a text that the model did not choose. They are evaluated before the next choice. */
  const force = (sequence: Sequence, text: string): void => {
    texts.force(sequence, text);
    if (sequence.slot === undefined) return;
    for (const token of vocabulary.tokenize(text, { addSpecial: false })) {
      sequence.tokens.push(token);
      sequence.forced++;
      sequence.sampler.observe(token);
    }
  };

  const count = (sequence: Sequence): void => {
    sequence.generatingSince ??= clock.monotonic();
    if (sequence.generated === 0) sequence.firstTokenAt = sequence.generatingSince;
    sequence.generated++;
    counters.tokensGenerated++;
  };

  return (sequence, row) => {
    let token: number | undefined;
    try {
      token = sequence.sampler.sample(row);
    } catch (error) {
      finisher.fail(sequence, error);
      return;
    }
    count(sequence);
    if (token !== undefined) {
      sequence.tokens.push(token);
      if (vocabulary.isEnd(token)) {
        finisher.finish(sequence, 'stop');
        return;
      }
      texts.add(sequence);
    }
    if (sequence.generated < sequence.budget) {
      const text = sequence.thinking?.takeForced() ?? '';
      if (text !== '') force(sequence, text);
      return;
    }
    texts.check(sequence);
    if (sequence.slot !== undefined) finisher.finish(sequence, 'length');
  };
}
