// Chooses the next tokens of a sequence, and ends it if one of them was its last. Their text is written later, except that of
// the last one.
//
// Speculation: a pass evaluates the last token of a sequence together with a draft of the next ones. The sampler chooses
// a token by the logits of each row as long as its choices are the drafted tokens. The choices, and the state of the
// sampler, are those of single passes; wrong drafts only cost time.
//
// Only a sequence that is alone speculates. In a batch, its draft would delay all other sequences.

import type { CountersOf } from '../../../protocol/counters.ts';
import { dropDraft } from '../kv-cache/context-shift.ts';
import { isGenerating, type Sequence } from '../sequence/sequence.ts';
import { type Draft, draftWith, noDraft } from '../speculation/drafter.ts';
import type { PassSize } from '../speculation/pass-costs.ts';
import type { AnswerWriter } from './answer-writer.ts';
import { servedBy } from './background.ts';
import type { StepSources } from './step-sources.ts';

interface DraftRows {
  /** The row of the last token. The rows of the draft follow it. */
  readonly row: number;
  readonly draft: Draft;
}

export class TokenChooser {
  readonly #sources: StepSources;
  readonly #counters: CountersOf<'generation'>;
  readonly #answers: AnswerWriter;
  /** When the pass of a sequence that is alone began. Absent for other passes, and for those that need not be measured. */
  #begun: number | undefined;

  constructor(sources: StepSources, counters: CountersOf<'generation'>, answers: AnswerWriter) {
    this.#sources = sources;
    this.#counters = counters;
    this.#answers = answers;
  }

  /** Tokens to evaluate after the last token of a sequence. */
  draft({ drafters, tokens, generated, budget, evaluated }: Sequence): Draft {
    const { slots, context, contextLength, numBatch, passCosts, clock } = this.#sources;
    this.#begun = undefined;
    if (drafters === undefined || servedBy(slots.live).length > 1) return noDraft;
    // The pass chooses one token more than the draft has.
    const room = Math.min(contextLength - evaluated - 1, budget - generated - 1, numBatch - 1, context.rollback);
    const draft = draftWith(drafters, tokens, { generated, room });
    if (passCosts.wants({ rows: 1 + draft.tokens.length, cells: tokens.length })) this.#begun = clock.monotonic();
    return draft;
  }

  /** Chooses the next token of a sequence, and the ones after it as long as the draft is right. */
  choose(sequence: Sequence, rows: DraftRows): void {
    const { tokens, source } = rows.draft;
    const drafted = tokens.length;
    const cells = sequence.tokens.length;
    sequence.drafted += drafted;
    if (source === 'model') sequence.modelDrafted += drafted;
    if (source === 'prediction') sequence.predicted += drafted;
    this.#counters.tokensDrafted += drafted;
    this.#verify(sequence, rows);
    this.#measure({ rows: 1 + drafted, cells });
    if (drafted === 0 || sequence.slot === undefined) return;
    sequence.drafters?.[source]?.learn({ drafted, accepted: drafted - sequence.draftCells }, cells);
    if (!dropDraft(this.#sources.context, sequence))
      this.#answers.fail(sequence, new Error('a draft cannot be removed'));
  }

  /** Chooses tokens until one differs from the draft or the sequence ends. */
  #verify(sequence: Sequence, { row, draft }: DraftRows): void {
    this.#chooseOne(sequence, row);
    for (const [index, token] of draft.tokens.entries()) {
      // The text decides whether the answer goes on.
      this.#answers.check(sequence);
      if (sequence.slot === undefined || !isGenerating(sequence) || sequence.tokens.at(-1) !== token) return;
      sequence.evaluated++;
      // Before the next choice, which may report the end of the answer.
      sequence.draftCells--;
      sequence.accepted++;
      if (draft.source === 'model') sequence.modelAccepted++;
      if (draft.source === 'prediction') sequence.predictedAccepted++;
      this.#counters.draftsAccepted++;
      this.#chooseOne(sequence, row + index + 1);
    }
  }

  /** `row` has the logits of the sequence's last token. */
  #chooseOne(sequence: Sequence, row: number): void {
    let token: number | undefined;
    try {
      token = sequence.sampler.sample(row);
    } catch (error) {
      this.#answers.fail(sequence, error);
      return;
    }
    sequence.generatingSince ??= this.#sources.clock.monotonic();
    if (sequence.generated === 0) sequence.firstTokenAt = sequence.generatingSince;
    sequence.generated++;
    this.#counters.tokensGenerated++;
    if (token !== undefined && this.#sources.vocabulary.isEnd(token)) {
      sequence.tokens.push(token);
      this.#answers.finish(sequence, 'stop');
      return;
    }
    if (token !== undefined) {
      sequence.tokens.push(token);
      this.#answers.add(sequence);
    }
    if (sequence.generated >= sequence.budget) this.#answers.endAtLimit(sequence);
    else if (sequence.thinking !== undefined) this.#force(sequence, sequence.thinking.takeForced());
  }

  /** Adds the tokens of a text that the model did not choose. They are evaluated before the next choice. */
  #force(sequence: Sequence, text: string): void {
    if (text === '') return;
    this.#answers.force(sequence, text);
    if (sequence.slot === undefined) return;
    for (const token of this.#sources.vocabulary.tokenize(text, { addSpecial: false })) {
      sequence.tokens.push(token);
      sequence.forced++;
      sequence.sampler.observe(token);
    }
  }

  /** The choice of the tokens belongs to a pass: a GPU computes after `decode` has returned. */
  #measure(size: PassSize): void {
    const { passCosts, clock } = this.#sources;
    if (this.#begun !== undefined) passCosts.observe({ ...size, nanoseconds: clock.monotonic() - this.#begun });
    this.#begun = undefined;
  }
}
