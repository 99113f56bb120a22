// Log probabilities of the tokens of a prompt. Token n is judged by the logits of token n - 1, so that these are computed again
// even if the prefix cache has the token. Nothing before them is.

import { HearthError } from '../../../../base/errors.ts';
import type { PromptCandidate, PromptLogprobsInput, PromptToken } from '../../../protocol/messages.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import { compareDistributions, packDistribution, packedLength } from './distributions.ts';
import { measureLogits, toLogprob } from './logprobs.ts';

// Numbers that a step reads for this. Other requests wait for it, about a tenth of a second.
const maxNumbersPerStep = 2 ** 21;
const minRowsPerStep = 16;

/** How many tokens of prompts a step can score. */
export function scoredPerStep(vocabularySize: number): number {
  return Math.max(minRowsPerStep, Math.floor(maxNumbersPerStep / vocabularySize));
}

export class PromptScores {
  readonly #vocabulary: Pick<Vocabulary, 'pieceOf' | 'size'>;
  readonly #top: number;
  /** The first token that is reported. */
  readonly from: number;
  readonly #baseline: Buffer | undefined;
  /** Wanted distributions of the tokens that were described. */
  readonly #distributions: Buffer[] | undefined;

  constructor(vocabulary: Pick<Vocabulary, 'pieceOf' | 'size'>, input: PromptLogprobsInput) {
    this.#vocabulary = vocabulary;
    this.#top = Math.min(input.top, vocabulary.size);
    this.from = input.from;
    this.#distributions = input.wantDistributions ? [] : undefined;
    this.#baseline = input.baseline === undefined ? undefined : Buffer.from(input.baseline, 'base64');
    if (this.#baseline !== undefined && this.#baseline.length % packedLength(vocabulary.size) !== 0)
      throw new HearthError('bad_request', 'the models have vocabularies of different sizes');
  }

  /** Tokens at the start whose logits are not needed. */
  get unscored(): number {
    return Math.max(0, this.from - 1);
  }

  /** The first token of a prompt, which has no probability. */
  describeFirst(token: number): PromptToken {
    return { token, bytes: this.#bytesOf(token), top: [] };
  }

  /** `logits`: those of the token before it. `index`: its place in the prompt. */
  describe(token: number, logits: Float32Array, index: number): PromptToken {
    const { normalizer, largest } = measureLogits(logits, this.#top);
    const logit = logits[token] as number;
    this.#distributions?.push(packDistribution(logits, normalizer));
    const toCandidate = (candidate: number): PromptCandidate => ({
      token: candidate,
      bytes: this.#bytesOf(candidate),
      logprob: toLogprob(logits[candidate] as number, normalizer),
    });
    return {
      ...toCandidate(token),
      rank: 1 + countAbove(logits, logit),
      top: largest.map(toCandidate),
      ...this.#compare(index, logits, normalizer),
    };
  }

  /** Distributions of the tokens that were described since the last call, in base64. */
  takeDistributions(): string | undefined {
    return this.#distributions && Buffer.concat(this.#distributions.splice(0)).toString('base64');
  }

  #compare(index: number, logits: Float32Array, normalizer: number) {
    const length = packedLength(logits.length);
    const start = (index - this.from) * length;
    const packed = this.#baseline?.subarray(start, start + length);
    return packed?.length === length ? compareDistributions(packed, logits, normalizer) : undefined;
  }

  #bytesOf(token: number): number[] {
    return [...this.#vocabulary.pieceOf(token)];
  }
}

function countAbove(logits: Float32Array, bound: number): number {
  let count = 0;
  for (let token = 0; token < logits.length; token++) if ((logits[token] as number) > bound) count++;
  return count;
}
