// Drafts the next tokens of one answer. The target model verifies them in one pass (docs/adr/0033).

import type { DraftResult } from './draft-policy.ts';

export interface DraftSituation {
  /** Tokens at the end that were generated. Matches are counted in them: prompts repeat their headers. */
  readonly generated: number;
  /** Maximum tokens of the draft. */
  readonly room: number;
}

export interface Drafter {
  /** Tokens that may come next. None if a draft would probably not pay. */
  draft(tokens: readonly number[], situation: DraftSituation): readonly number[];
  /** Reports how many tokens of the last draft were right. `cells`: the length of the context before it. */
  learn(result: DraftResult, cells: number): void;
}

/** Where a draft comes from. */
type DraftSource = 'prediction' | 'ngram' | 'model';

/** The drafters of a request. Known text is free to draft, so it comes before the model. */
export interface Drafters {
  /** Absent: the request predicts nothing. */
  readonly prediction?: Drafter;
  readonly ngram: Drafter;
  readonly model?: Drafter;
}

export interface Draft {
  readonly tokens: readonly number[];
  readonly source: DraftSource;
}

export const noDraft: Draft = { tokens: [], source: 'ngram' };

export function draftWith(drafters: Drafters, tokens: readonly number[], situation: DraftSituation): Draft {
  const predicted = drafters.prediction?.draft(tokens, situation) ?? [];
  if (predicted.length > 0) return { tokens: predicted, source: 'prediction' };
  const repeated = drafters.ngram.draft(tokens, situation);
  if (repeated.length > 0) return { tokens: repeated, source: 'ngram' };
  const drafted = drafters.model?.draft(tokens, situation) ?? [];
  return drafted.length === 0 ? noDraft : { tokens: drafted, source: 'model' };
}
