// Drafts the next tokens of one answer without a model: those that follow its last tokens elsewhere. That is in the
// prompt, in the answer before, or in a text that the caller expects.

import { addEvidence, chanceOf, chooseLength, initialMatch, maxMatch, nextMatch, noEvidence } from './draft-policy.ts';
import type { Drafter } from './drafter.ts';
import { createNgramIndex, findNear, minMatch } from './ngram-index.ts';
import type { PassCosts } from './pass-costs.ts';

// Each fills a number of rows together with the token before it: kernels compute rows in tiles of these sizes.
const lengths = [3, 7, 15, 31, 63];
const longest = 63;
// A draft that is wrong from its first token on loses its cost. It may cost what drafts have gained before, and more after
// a longer match. So an answer that quotes in small pieces does not lose its time with long drafts.
const stakePerToken = 0.4;

/** `prediction`: the tokens to copy from. Absent: prompt and answer. */
export function createNgramDrafter(costs: Pick<PassCosts, 'costOf'>, prediction?: readonly number[]): Drafter {
  const index = createNgramIndex();
  let evidence = noEvidence;
  // Repetitions in a text may be chance. A caller who predicts a text expects it.
  let needed = prediction === undefined ? initialMatch : minMatch;
  // What the drafts of the answer have gained so far, in units of a pass with one token. Negative: lost.
  let gained = 0;
  // Where the answer is in the prediction.
  let expected = 0;

  return {
    draft(tokens, { generated, room }) {
      if (generated < needed || room < (lengths[0] as number)) return [];
      const max = Math.min(generated, maxMatch);
      const match =
        (prediction && findNear(tokens, prediction, { from: expected, max })) ?? index.find(tokens, max, prediction);
      if (match === undefined || match.length < needed) return [];
      const count = Math.min(longest, room);
      const copy = prediction?.slice(match.next, match.next + count) ?? copyTokens(tokens, match.next, count);
      const costOf = (drafted: number): number => costs.costOf({ rows: 1 + drafted, cells: tokens.length });
      const stake = gained + stakePerToken * match.length;
      const length = chooseLength({
        // The tokens of the match were right too.
        chance: chanceOf(evidence, { right: match.length + 1, wrong: 1 }),
        lengths: lengths.filter((one) => one <= copy.length && costOf(one) - 1 <= stake),
        costOf,
      });
      if (length > 0) expected = match.next;
      return copy.slice(0, length);
    },
    learn(result, cells) {
      // The token that was chosen instead of a wrong one probably replaces it.
      expected += result.accepted + 1;
      evidence = addEvidence(evidence, result);
      const cost = costs.costOf({ rows: 1 + result.drafted, cells });
      needed = nextMatch(needed, result, cost);
      gained += result.accepted + 1 - cost;
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
