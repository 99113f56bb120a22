// Speculation: a pass evaluates the last token of a sequence together with a draft of the next ones. The sampler chooses
// a token by the logits of each row as long as its choices are the drafted tokens. The choices, and the state of the
// sampler, are those of single passes; wrong drafts only cost time.
//
// Only a sequence that is alone speculates. In a batch, its draft would delay all other sequences.

import type { Clock } from '../../../../base/time/clock.ts';
import type { CountersOf } from '../../../protocol/counters.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Slots } from '../kv-cache/slots.ts';
import { isGenerating, type Sequence } from '../sequence.ts';
import type { Finisher } from '../step/finisher.ts';
import type { TextWriter } from '../step/text-writer.ts';
import type { TokenChooser } from '../step/token-chooser.ts';
import { type Draft, draftWith, noDraft } from './drafter.ts';
import { dropDraft } from './drop-draft.ts';
import type { PassCosts, PassSize } from './pass-costs.ts';

export interface Speculation {
  /** Tokens to evaluate after the last token of a sequence. */
  draft(sequence: Sequence): Draft;
  /** Chooses the next token of a sequence, and the ones after it as long as the draft is right. */
  choose(sequence: Sequence, rows: DraftRows): void;
}

export interface DraftRows {
  /** The row of the last token. Those of the draft follow it. */
  readonly row: number;
  readonly draft: Draft;
}

export interface SpeculationOptions {
  readonly context: Pick<EngineContext, 'forget'>;
  readonly slots: Pick<Slots, 'live'>;
  readonly contextLength: number;
  readonly numBatch: number;
  readonly counters: Pick<CountersOf<'generation'>, 'tokensDrafted' | 'draftsAccepted'>;
  readonly finisher: Finisher;
  readonly chooseToken: TokenChooser;
  readonly texts: Pick<TextWriter, 'check'>;
  readonly passCosts: PassCosts;
  readonly clock: Clock;
}

export function createSpeculation(options: SpeculationOptions): Speculation {
  const { context, slots, contextLength, numBatch, counters, finisher, chooseToken, texts, passCosts, clock } = options;
  // When the pass of a sequence that is alone began. Absent for other passes, and for those that need not be measured.
  let begun: number | undefined;

  const countDrafted = (sequence: Sequence, { tokens, source }: Draft): void => {
    sequence.drafted += tokens.length;
    if (source === 'model') sequence.modelDrafted += tokens.length;
    counters.tokensDrafted += tokens.length;
  };

  const countAccepted = (sequence: Sequence, { source }: Draft): void => {
    sequence.draftCells--;
    sequence.accepted++;
    if (source === 'model') sequence.modelAccepted++;
    counters.draftsAccepted++;
  };

  /** Chooses tokens until one differs from the draft or the sequence ends. */
  const verify = (sequence: Sequence, { row, draft }: DraftRows): void => {
    chooseToken(sequence, row);
    for (const [index, token] of draft.tokens.entries()) {
      // The text decides whether the answer goes on.
      texts.check(sequence);
      if (sequence.slot === undefined || !isGenerating(sequence) || sequence.tokens.at(-1) !== token) return;
      sequence.evaluated++;
      // Before the next choice, which may report the end of the answer.
      countAccepted(sequence, draft);
      chooseToken(sequence, row + index + 1);
    }
  };

  /** The choice of the tokens belongs to a pass: a GPU computes after `decode` has returned. */
  const measure = (size: PassSize): void => {
    if (begun !== undefined) passCosts.observe({ ...size, nanoseconds: clock.monotonic() - begun });
    begun = undefined;
  };

  return {
    draft(sequence) {
      const { drafters, tokens, generated, budget, evaluated } = sequence;
      begun = undefined;
      if (drafters === undefined || slots.live.length > 1) return noDraft;
      // The pass chooses one token more than the draft has.
      const room = Math.min(contextLength - evaluated, budget - generated, numBatch) - 1;
      const draft = draftWith(drafters, tokens, { generated, room });
      if (passCosts.wants({ rows: 1 + draft.tokens.length, cells: tokens.length })) begun = clock.monotonic();
      return draft;
    },
    choose(sequence, rows) {
      const { tokens, source } = rows.draft;
      const drafted = tokens.length;
      const cells = sequence.tokens.length;
      countDrafted(sequence, rows.draft);
      verify(sequence, rows);
      measure({ rows: 1 + drafted, cells });
      if (drafted === 0 || sequence.slot === undefined) return;
      sequence.drafters?.[source]?.learn({ drafted, accepted: drafted - sequence.draftCells }, cells);
      if (!dropDraft(context, sequence)) finisher.fail(sequence, new Error('a draft cannot be removed'));
    },
  };
}
