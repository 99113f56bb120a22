// Speculation: a pass evaluates the last token of a sequence together with a draft of the next ones. The sampler chooses
// a token by the logits of each row as long as its choices are the drafted tokens. The choices, and the state of the
// sampler, are those of single passes; wrong drafts only cost time.
//
// Only a sequence that is alone speculates. In a batch, its draft would delay all other sequences.

import type { CountersOf } from '../../../protocol/counters.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Slots } from '../kv-cache/slots.ts';
import type { Sequence } from '../sequence.ts';
import type { Finisher } from '../step/finisher.ts';
import type { TokenChooser } from '../step/token-chooser.ts';
import { dropDraft } from './drop-draft.ts';

export interface Speculation {
  /** Tokens to evaluate after the last token of a sequence. */
  draft(sequence: Sequence): readonly number[];
  /** Chooses the next token of a sequence, and the ones after it as long as the draft is right. */
  choose(sequence: Sequence, rows: DraftRows): void;
}

export interface DraftRows {
  /** The row of the last token. Those of the draft follow it. */
  readonly row: number;
  readonly draft: readonly number[];
}

export interface SpeculationOptions {
  readonly context: Pick<EngineContext, 'forget'>;
  readonly slots: Pick<Slots, 'live'>;
  readonly contextLength: number;
  readonly numBatch: number;
  readonly counters: Pick<CountersOf<'generation'>, 'tokensDrafted' | 'draftsAccepted'>;
  readonly finisher: Finisher;
  readonly chooseToken: TokenChooser;
}

export function createSpeculation(options: SpeculationOptions): Speculation {
  const { context, slots, contextLength, numBatch, counters, finisher, chooseToken } = options;

  /** Chooses tokens until one differs from the draft or the sequence ends. */
  const verify = (sequence: Sequence, { row, draft }: DraftRows): void => {
    chooseToken(sequence, row);
    for (const [index, token] of draft.entries()) {
      if (sequence.slot === undefined || sequence.tokens.at(-1) !== token) return;
      sequence.evaluated++;
      sequence.draftCells--;
      sequence.accepted++;
      counters.draftsAccepted++;
      chooseToken(sequence, row + index + 1);
    }
  };

  return {
    draft(sequence) {
      const { drafter, tokens, generated, budget, evaluated } = sequence;
      if (drafter === undefined || slots.live.length > 1) return [];
      // The pass chooses one token more than the draft has.
      const room = Math.min(contextLength - evaluated, budget - generated, numBatch) - 1;
      return drafter.draft(tokens, { generated, room });
    },
    choose(sequence, rows) {
      const drafted = rows.draft.length;
      sequence.draftCells = drafted;
      sequence.drafted += drafted;
      counters.tokensDrafted += drafted;
      verify(sequence, rows);
      if (drafted === 0 || sequence.slot === undefined) return;
      sequence.drafter?.learn({ drafted, accepted: drafted - sequence.draftCells });
      if (!dropDraft(context, sequence)) finisher.fail(sequence, new Error('a draft cannot be removed'));
    },
  };
}
