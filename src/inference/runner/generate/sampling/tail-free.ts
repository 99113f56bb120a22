// Tail-free sampling, which llama.cpp no longer has: cuts the candidates where the curve of their probabilities
// stops bending.

/**
 * How many of the candidates to keep, given their logits from the largest down. The second differences of the
 * probabilities, as shares of their sum, are added up until they pass `z`.
 */
export function tailFreeLength(sortedLogits: Float32Array, z: number): number {
  const length = sortedLogits.length;
  if (z >= 1 || length <= 2) return length;
  const largest = sortedLogits[0] as number;
  const weights = Array.from(sortedLogits, (logit) => Math.exp(logit - largest));
  const curvature = Array.from({ length: length - 2 }, (_, index) =>
    Math.abs((weights[index] as number) - 2 * (weights[index + 1] as number) + (weights[index + 2] as number)),
  );
  const total = curvature.reduce((sum, value) => sum + value, 0);
  if (total <= 0) return length;
  let sum = 0;
  for (const [index, value] of curvature.entries()) {
    sum += value / total;
    if (sum > z && index >= 1) return index;
  }
  return length;
}
