// Decides when a draft pays, and how long it is: from what passes cost, and from the drafts of the same answer before.
// Plain data, no clock.

import { minMatch } from './ngram-index.ts';

/** How often drafts were right. */
export interface Evidence {
  /** Tokens that were right. */
  readonly accepted: number;
  /** Drafts that had a wrong token. The tokens after it say nothing. */
  readonly rejected: number;
}

export interface DraftResult {
  readonly drafted: number;
  readonly accepted: number;
}

interface DraftChoice {
  /** The probability that a drafted token is right, if those before it are. */
  readonly chance: number;
  /** Tokens of the drafts to choose from. */
  readonly lengths: readonly number[];
  /** The cost of drafting so many tokens and of the pass that verifies them, in units of a pass with one token. */
  readonly costOf: (drafted: number) => number;
}

export const noEvidence: Evidence = { accepted: 0, rejected: 0 };

/** Tokens per unit of cost that a draft must yield. Estimates are not exact, and a draft that yields 1 gains nothing. */
const minYield = 1.1;

/** `weightOfOld`: by default, recent drafts count more. */
export function addEvidence({ accepted, rejected }: Evidence, result: DraftResult, weightOfOld = 0.75): Evidence {
  return {
    accepted: weightOfOld * accepted + result.accepted,
    rejected: weightOfOld * rejected + (result.accepted < result.drafted ? 1 : 0),
  };
}

/** `right` and `wrong`: what is assumed besides the evidence. */
export function chanceOf({ accepted, rejected }: Evidence, { right, wrong }: { right: number; wrong: number }): number {
  return (right + accepted) / (right + accepted + wrong + rejected);
}

/** The tokens that a pass with a draft yields on average: the drafted ones up to the first wrong one, and one more. */
export function expectedTokens(chance: number, drafted: number): number {
  return chance === 1 ? drafted + 1 : (1 - chance ** (drafted + 1)) / (1 - chance);
}

/** The length with the best yield. 0: no draft pays. */
export function chooseLength({ chance, lengths, costOf }: DraftChoice): number {
  let best = { length: 0, yields: minYield };
  for (const length of lengths) {
    const yields = expectedTokens(chance, length) / costOf(length);
    if (yields > best.yields) best = { length, yields };
  }
  return best.length;
}

export const initialMatch = 12;
const maxNeeded = 128;
/** The longest match that counts. */
export const maxMatch = 2 * maxNeeded;

/**
 * How many tokens must have occurred before in the same order. A draft that paid lets shorter matches draft. One that
 * did not asks for longer ones, so that an answer that quotes little soon drafts nothing. A long match later is the
 * evidence that drafts would be right again.
 */
export function nextMatch(needed: number, { accepted }: DraftResult, cost: number): number {
  const pays = accepted + 1 >= minYield * cost;
  return pays ? Math.max(needed / 2, minMatch) : Math.min(2 * needed, maxNeeded);
}
