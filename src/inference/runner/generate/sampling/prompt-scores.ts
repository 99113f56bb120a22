// Log probabilities of the tokens of a prompt. Token n is judged by the logits of token n - 1, so that these are computed again
// even if the prefix cache has the token. Nothing before them is.

import type { PromptCandidate, PromptLogprobsInput, PromptToken } from '../../../protocol/messages.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
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

  constructor(vocabulary: Pick<Vocabulary, 'pieceOf' | 'size'>, { top, from }: PromptLogprobsInput) {
    this.#vocabulary = vocabulary;
    this.#top = Math.min(top, vocabulary.size);
    this.from = from;
  }

  /** Tokens at the start whose logits are not needed. */
  get unscored(): number {
    return Math.max(0, this.from - 1);
  }

  /** The first token of a prompt, which has no probability. */
  describeFirst(token: number): PromptToken {
    return { token, bytes: this.#bytesOf(token), top: [] };
  }

  /** `logits`: those of the token before it. */
  describe(token: number, logits: Float32Array): PromptToken {
    const { normalizer, largest } = measureLogits(logits, this.#top);
    const logit = logits[token] as number;
    const toCandidate = (candidate: number): PromptCandidate => ({
      token: candidate,
      bytes: this.#bytesOf(candidate),
      logprob: toLogprob(logits[candidate] as number, normalizer),
    });
    return { ...toCandidate(token), rank: 1 + countAbove(logits, logit), top: largest.map(toCandidate) };
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
