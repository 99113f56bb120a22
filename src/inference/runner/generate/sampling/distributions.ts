// Distributions over the vocabulary, packed and compared as llama-perplexity does, so that the figures are the same: the log
// probabilities down to 16 below the largest, in 65,535 steps of 16 bits each, after the step and the smallest one.

const range = 16;
const steps = 0xff_ff;
const headBytes = 8;
/** What is less likely does not count in a divergence. */
const minLogprob = -16;

/** Bytes of one packed distribution. */
export function packedLength(vocabularySize: number): number {
  return headBytes + vocabularySize * Uint16Array.BYTES_PER_ELEMENT;
}

/** `normalizer`: the log of the sum of exponentials. */
export function packDistribution(logits: Float32Array, normalizer: number): Buffer {
  let max = Number.NEGATIVE_INFINITY;
  let min = Number.POSITIVE_INFINITY;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] as number;
    if (logit > max) max = logit;
    if (logit < min) min = logit;
  }
  min = Math.max(min, max - range);
  const packed = Buffer.alloc(packedLength(logits.length));
  const step = (max - min) / steps;
  packed.writeFloatLE(step, 0);
  packed.writeFloatLE(min - normalizer, 4);
  const values = valuesOf(packed);
  if (step === 0) return packed;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] as number;
    values[token] = logit > min ? Math.round((logit - min) / step) : 0;
  }
  return packed;
}

interface Divergence {
  /** The Kullback-Leibler divergence of the logits from the packed distribution, in nats. */
  readonly divergence: number;
  /** Whether both have the same likeliest token. */
  readonly sameTop: boolean;
}

export function compareDistributions(packed: Buffer, logits: Float32Array, normalizer: number): Divergence {
  const step = packed.readFloatLE(0);
  const min = packed.readFloatLE(4);
  const values = valuesOf(packed);
  let divergence = 0;
  let top = 0;
  let baseTop = 0;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] as number;
    const value = values[token] as number;
    if (logit > (logits[top] as number)) top = token;
    if (value > (values[baseTop] as number)) baseTop = token;
    const logprob = step * value + min;
    if (logprob > minLogprob) divergence += Math.exp(logprob) * (logprob - logit + normalizer);
  }
  return { divergence, sameTop: top === baseTop };
}

function valuesOf(packed: Buffer): Uint16Array {
  return new Uint16Array(packed.buffer, packed.byteOffset + headBytes, (packed.length - headBytes) / 2);
}
