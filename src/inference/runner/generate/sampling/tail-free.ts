// Tail-free sampling, which llama.cpp has removed: cuts the candidates where the curve of their probabilities flattens.

/**
 * Returns how many candidates to keep, given their logits in descending order. The second differences of the
 * probabilities, as shares of their total, are summed until they exceed `z`.
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
