// Decides when a draft pays, and how long it is, from the drafts of the same answer before: plain data, no clock, so that
// a request with a seed drafts the same tokens each time.
//
// A draft costs time even if all of it is wrong. The lengths follow llama.cpp's kernels (docs/adr/0033): matrix kernels
// compute 8, 16 or 32 rows in full tiles. Attention computes fewer than 64 rows one by one, which is most of the time in
// a long context. There, only a draft that fills 64 rows pays.

import { minMatch } from './ngram-index.ts';

export interface DraftPolicy {
  /** How many tokens must have occurred before in the same order. Twice as many in a long context. */
  readonly needed: number;
  /** Tokens of the next draft in a short context. */
  readonly length: number;
}

export interface DraftPlan {
  readonly needed: number;
  readonly length: number;
  /** A shorter draft does not pay. */
  readonly minLength: number;
}

export interface DraftResult {
  readonly drafted: number;
  readonly accepted: number;
}

// Each fills a number of rows together with the token before it.
const shortDraft = 7;
const mediumDraft = 31;
const longDraft = 63;
// A pass with a few rows takes about as long as one with eight.
const minDraft = 4;
const longContext = 512;

const initialNeeded = 12;
const maxNeeded = 128;
/** The longest match that a plan needs. */
export const maxMatch = 2 * maxNeeded;

// What a draft costs in units of a pass with one token, at the upper end of what was measured.
const costOf = (drafted: number): number => (drafted === longDraft ? 14 : 1 + 0.5 * drafted);

export const initialPolicy: DraftPolicy = { needed: initialNeeded, length: shortDraft };

/** `cells`: the length of the context. */
export function planDraft({ needed, length }: DraftPolicy, cells: number): DraftPlan {
  if (cells < longContext) return { needed, length, minLength: minDraft };
  return { needed: 2 * needed, length: longDraft, minLength: longDraft };
}

/**
 * A draft that paid lets shorter matches draft. One that did not asks for longer ones, so that an answer that quotes
 * little soon drafts nothing. A long match later is the evidence that drafts would be right again.
 */
export function nextPolicy({ needed }: DraftPolicy, { drafted, accepted }: DraftResult): DraftPolicy {
  const pays = accepted >= costOf(drafted);
  return {
    needed: pays ? Math.max(needed / 2, minMatch) : Math.min(2 * needed, maxNeeded),
    length: accepted === drafted ? Math.min(2 * drafted + 1, mediumDraft) : shortDraft,
  };
}
