// The token that a draft continues with.

// A less likely token is probably wrong, and so are those after it.
const minProbability = 0.5;
// Logits so far below the largest one add less than a millionth each. Without them, most of a large vocabulary costs a
// comparison instead of an exponential.
const negligible = 14;

/** The likeliest token by its logits. Undefined if it is not likely enough for a draft. */
export function likelyToken(logits: Float32Array): number | undefined {
  let token = 0;
  for (let index = 1; index < logits.length; index++)
    if ((logits[index] as number) > (logits[token] as number)) token = index;
  const largest = logits[token] as number;
  let sum = 0;
  for (const logit of logits) if (logit > largest - negligible) sum += Math.exp(logit - largest);
  return 1 / sum < minProbability ? undefined : token;
}
