// Log probabilities of tokens, for requests that want them. They are the model's own: before penalties, biases and
// sampling. A token is reported when its text is sent. Tokens that a stop sequence cuts off are not reported.

import type { TokenLogprob, TokenProbability } from '../../../protocol/messages.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { AnswerPieces } from '../text/answer-pieces.ts';
import type { Sampler } from './sampler.ts';

interface PendingToken {
  readonly entry: TokenLogprob;
  /** The number of tokens before it. */
  readonly index: number;
  /** Offset of its first byte in the answer. */
  readonly start: number;
}

interface LogprobLogOptions {
  /** How many of the likeliest tokens to report with each chosen one. */
  readonly top: number;
  /** The text of a token in the answer. */
  readonly pieceOf: AnswerPieces;
}

export function createLogprobLog(
  vocabulary: Pick<Vocabulary, 'pieceOf' | 'size'>,
  { top, pieceOf }: LogprobLogOptions,
) {
  const pending: PendingToken[] = [];
  let tokens = 0;
  let bytes = 0;
  let sent = 0;

  return {
    /** Adds a chosen token, with the logits that it was chosen from. */
    add(token: number, logits: Float32Array): void {
      const { normalizer, largest } = measureLogits(logits, Math.min(top, vocabulary.size));
      const describe = (candidate: number): TokenProbability => ({
        bytes: [...vocabulary.pieceOf(candidate)],
        logprob: toLogprob(logits[candidate] as number, normalizer),
      });
      pending.push({ entry: { ...describe(token), top: largest.map(describe) }, index: tokens++, start: bytes });
      bytes += pieceOf(token).bytes.length;
    },
    /** The tokens that begin in the text that is sent now. `written`: the number of tokens that were written, if not all were. */
    take(text: string, written: number = Number.POSITIVE_INFINITY): TokenLogprob[] {
      sent += Buffer.byteLength(text);
      const count = pending.findIndex(({ start, index }) => start >= sent || index >= written);
      return pending.splice(0, count === -1 ? pending.length : count).map(({ entry }) => entry);
    },
    /** The tokens that no text was sent for: the one that ended the answer, and what a stop sequence cut off. */
    takeRest: (): TokenLogprob[] => pending.splice(0).map(({ entry }) => entry),
  };
}

export type LogprobLog = ReturnType<typeof createLogprobLog>;

/** Wraps a sampler so that its choices are logged. */
export function watchSampler(sampler: Sampler, context: Pick<EngineContext, 'logits'>, log: LogprobLog): Sampler {
  return {
    ...sampler,
    // The log needs the logits as they were.
    prepare: () => undefined,
    sample(row) {
      // A copy: the sampler applies penalties to the logits in place.
      const logits = context.logits(row).slice();
      const token = sampler.sample(row);
      if (token !== undefined) log.add(token, logits);
      return token;
    },
  };
}

// JSON has no negative infinity. No token that can be chosen is this unlikely.
const minLogprob = -9999;

export function toLogprob(logit: number, normalizer: number): number {
  return Math.max(minLogprob, logit - normalizer);
}

/** The log of the sum of exponentials, and the tokens with the largest logits, largest first. */
export function measureLogits(logits: Float32Array, count: number): { normalizer: number; largest: number[] } {
  const largest: number[] = [];
  let max = Number.NEGATIVE_INFINITY;
  for (let token = 0; token < logits.length; token++) max = Math.max(max, logits[token] as number);
  let sum = 0;
  // What a logit must exceed to be one of the largest.
  let bound = count === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] as number;
    sum += Math.exp(logit - max);
    if (logit <= bound && largest.length >= count) continue;
    insert(largest, token, logits, count);
    if (largest.length >= count) bound = logits[largest[count - 1] ?? 0] as number;
  }
  return { normalizer: max + Math.log(sum), largest };
}

function insert(largest: number[], token: number, logits: Float32Array, count: number): void {
  if (count === 0) return;
  const index = largest.findIndex((other) => (logits[token] as number) > (logits[other] as number));
  largest.splice(index === -1 ? largest.length : index, 0, token);
  if (largest.length > count) largest.pop();
}
