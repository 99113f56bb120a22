// The likeliest token by its logits, and its probability.

export interface LikelyToken {
  readonly token: number;
  readonly probability: number;
}

// Logits so far below the largest one add less than a millionth each. Without them, most of a large vocabulary costs a
// comparison instead of an exponential.
const negligible = 14;

export function likeliest(logits: Float32Array): LikelyToken {
  let token = 0;
  for (let index = 1; index < logits.length; index++)
    if ((logits[index] as number) > (logits[token] as number)) token = index;
  const largest = logits[token] as number;
  let sum = 0;
  for (const logit of logits) if (logit > largest - negligible) sum += Math.exp(logit - largest);
  return { token, probability: 1 / sum };
}
