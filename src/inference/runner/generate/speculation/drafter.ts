// Drafts the next tokens of one answer: those that followed where its last tokens occurred before, in the prompt or in
// the answer. The model verifies them in one pass (docs/adr/0033).

import { type DraftResult, initialPolicy, maxMatch, nextPolicy, planDraft } from './draft-policy.ts';
import { createNgramIndex } from './ngram-index.ts';

export interface DraftSituation {
  /** Tokens at the end that were generated. Matches are counted in them: prompts repeat their headers. */
  readonly generated: number;
  /** Maximum tokens of the draft. */
  readonly room: number;
}

export interface Drafter {
  /** Tokens that may come next. None if a draft would probably not pay. */
  draft(tokens: readonly number[], situation: DraftSituation): readonly number[];
  /** Reports how many tokens of the last draft were right. */
  learn(result: DraftResult): void;
}

export function createDrafter(): Drafter {
  const index = createNgramIndex();
  let policy = initialPolicy;

  return {
    draft(tokens, { generated, room }) {
      const { needed, length, minLength } = planDraft(policy, tokens.length);
      if (room < minLength || generated < needed) return [];
      const match = index.find(tokens, Math.min(generated, maxMatch));
      if (match === undefined || match.length < needed) return [];
      const draft = copyTokens(tokens, match.next, Math.min(length, room));
      return draft.length < minLength ? [] : draft;
    },
    learn(result) {
      policy = nextPolicy(policy, result);
    },
  };
}

/** The tokens from an index on, up to an image. After the last one, the copy repeats itself. */
function copyTokens(tokens: readonly number[], from: number, count: number): number[] {
  const copy: number[] = [];
  const period = tokens.length - from;
  for (let offset = 0; offset < count; offset++) {
    const token = (offset < period ? tokens[from + offset] : copy[offset - period]) as number;
    if (token < 0) break;
    copy.push(token);
  }
  return copy;
}
