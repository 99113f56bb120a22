// The token that a draft continues with.

import { createTopScan } from '../scan/top-scan.ts';

// A less likely token is probably wrong, and so are those after it.
const minProbability = 0.5;
// The rest of a vocabulary hardly changes whether a token has half of the probability.
const considered = 64;

/** The likeliest token by its logits. Undefined if it is not likely enough for a draft. */
type FindLikelyToken = (logits: Float32Array) => number | undefined;

/** Searches by SIMD: a loop over a large vocabulary takes as long as the pass of a prediction head on a GPU. */
export function createLikelyToken(): FindLikelyToken {
  let scan: ReturnType<typeof createTopScan> | undefined;
  return (logits) => {
    scan ??= createTopScan(logits.length);
    const candidates = scan.tokens.subarray(0, scan.run(logits, Math.min(considered, logits.length)));
    let token = candidates[0] as number;
    for (const candidate of candidates)
      if ((logits[candidate] as number) > (logits[token] as number)) token = candidate;
    const largest = logits[token] as number;
    let sum = 0;
    for (const candidate of candidates) sum += Math.exp((logits[candidate] as number) - largest);
    return 1 / sum < minProbability ? undefined : token;
  };
}
