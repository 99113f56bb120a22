// Decides when a draft pays, and how long it is, from the drafts of the same answer before: plain data, no clock, so that
// a request with a seed drafts the same tokens each time.
//
// A draft costs time even if all of it is wrong. What it costs, in units of a pass with one token, was measured on
// several machines (docs/adr/0033); the estimate here is at their upper end.

import { minMatch } from './ngram-index.ts';

export interface DraftPolicy {
  /** How many tokens must have occurred before in the same order. */
  readonly needed: number;
  /** Tokens of the next draft. */
  readonly length: number;
}

export interface DraftResult {
  readonly drafted: number;
  readonly accepted: number;
}

// With the token before it, a draft fills 8, 16 or 32 rows, which matrix kernels compute in full tiles.
const shortDraft = 7;
const longDraft = 31;
const initialNeeded = 8;
/** After repeated failures. A wrong draft in as many tokens is a small loss. */
export const maxNeeded = 128;

const fixedCost = 0.5;
const costPerToken = 0.2;

export const initialPolicy: DraftPolicy = { needed: initialNeeded, length: shortDraft };

/**
 * A draft that paid lets shorter matches draft. One that did not asks for matches of twice the length, so that an answer
 * that quotes nothing soon drafts nothing. A longer match later is the evidence that drafts would be right again.
 */
export function nextPolicy({ needed }: DraftPolicy, { drafted, accepted }: DraftResult): DraftPolicy {
  const pays = accepted >= fixedCost + costPerToken * drafted;
  return {
    needed: pays ? minMatch : Math.min(2 * needed, maxNeeded),
    length: accepted === drafted ? Math.min(2 * drafted + 1, longDraft) : shortDraft,
  };
}
