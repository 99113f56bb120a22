// Chunks of a text and the figures over them, as llama-perplexity has them.

import { HearthError } from '../../../base/errors.ts';
import type { PromptToken } from '../../../inference/model/answer-event.ts';

/** Tokens of a chunk. */
export const chunkTokens = 512;
/** The first token of a chunk that counts. Those before it are its context. */
export const firstScored = chunkTokens / 2 + 1;

const minChunks = 2;

/** `begin`: the token that begins a text, if the model has one. It replaces the first token of each chunk. */
export function cutChunks(tokens: readonly number[], begin: number | undefined): number[][] {
  const count = Math.floor(tokens.length / chunkTokens);
  if (count < minChunks) {
    const message = `the text has ${tokens.length} tokens; at least ${minChunks * chunkTokens} are needed`;
    throw new HearthError('bad_request', message);
  }
  return Array.from({ length: count }, (_, index) => {
    const chunk = tokens.slice(index * chunkTokens, (index + 1) * chunkTokens);
    return begin === undefined ? chunk : [begin, ...chunk.slice(1)];
  });
}

export interface Comparison {
  readonly chunks: number;
  /** Tokens that count. */
  readonly tokens: number;
  readonly perplexity: Estimate;
  readonly basePerplexity: Estimate;
  /** The mean divergence from the base, in nats. */
  readonly divergence: Estimate;
  /** The share of tokens for which both models have the same likeliest one. */
  readonly sameTop: Estimate;
}

interface Estimate {
  readonly value: number;
  /** The standard error. */
  readonly error: number;
}

export class ComparisonSums {
  readonly #losses = new Mean();
  readonly #baseLosses = new Mean();
  readonly #divergences = new Mean();
  readonly #sameTops = new Mean();

  addBase(tokens: readonly PromptToken[]): void {
    for (const { logprob = 0 } of tokens) this.#baseLosses.add(-logprob);
  }

  add(tokens: readonly PromptToken[]): void {
    for (const { logprob = 0, divergence = 0, sameTop } of tokens) {
      this.#losses.add(-logprob);
      this.#divergences.add(divergence);
      this.#sameTops.add(Number(sameTop));
    }
  }

  summarize(): Omit<Comparison, 'chunks'> {
    return {
      tokens: this.#losses.count,
      perplexity: toPerplexity(this.#losses.estimate()),
      basePerplexity: toPerplexity(this.#baseLosses.estimate()),
      divergence: this.#divergences.estimate(),
      sameTop: this.#sameTops.estimate(),
    };
  }
}

class Mean {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
    this.#squares += value * value;
  }

  estimate(): Estimate {
    const value = this.#sum / this.count;
    const variance = Math.max(0, this.#squares / this.count - value * value);
    return { value, error: Math.sqrt(variance / (this.count - 1)) };
  }
}

/** The error of an exponential is that of its exponent, times the exponential. */
function toPerplexity({ value, error }: Estimate): Estimate {
  const perplexity = Math.exp(value);
  return { value: perplexity, error: error * perplexity };
}
