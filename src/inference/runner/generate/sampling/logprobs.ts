// How likely each token was, for callers that ask. What the model itself thought counts: before penalties, biases and
// whatever the sampler leaves out. A token is reported when its text is sent; what a stop text cuts off never is.

import type { TokenLogprob, TokenProbability } from '../../../protocol/messages.ts';
import type { EngineContext } from '../../llama/context.ts';
import type { Vocabulary } from '../../llama/vocabulary.ts';
import type { Sampler } from './sampler.ts';

export interface LogprobLog {
  /** Takes note of a chosen token and the logits that it was chosen by. */
  add(token: number, logits: Float32Array): void;
  /** The tokens of a text that is sent now, as far as they begin in it. */
  take(text: string): TokenLogprob[];
}

interface Waiting {
  readonly entry: TokenLogprob;
  /** Where its bytes begin in the answer. */
  readonly start: number;
}

export function createLogprobLog(vocabulary: Pick<Vocabulary, 'pieceOf' | 'size'>, top: number): LogprobLog {
  const waiting: Waiting[] = [];
  let written = 0;
  let sent = 0;

  return {
    add(token, logits) {
      const { normalizer, largest } = measure(logits, Math.min(top, vocabulary.size));
      const describe = (one: number): TokenProbability => ({
        bytes: [...vocabulary.pieceOf(one)],
        logprob: toLogprob(logits[one] as number, normalizer),
      });
      waiting.push({ entry: { ...describe(token), top: largest.map(describe) }, start: written });
      written += vocabulary.pieceOf(token).length;
    },
    take(text) {
      sent += Buffer.byteLength(text);
      const count = waiting.findIndex(({ start }) => start >= sent);
      return waiting.splice(0, count === -1 ? waiting.length : count).map(({ entry }) => entry);
    },
  };
}

/** The sampler as it was, with a log of what it chooses. */
export function watchSampler(sampler: Sampler, context: Pick<EngineContext, 'logits'>, log: LogprobLog): Sampler {
  return {
    ...sampler,
    sample(row) {
      // A copy: penalties are worked into the logits themselves.
      const logits = context.logits(row).slice();
      const token = sampler.sample(row);
      log.add(token, logits);
      return token;
    },
  };
}

// JSON has no minus infinity; nothing that can be chosen is this unlikely.
const minLogprob = -9999;

function toLogprob(logit: number, normalizer: number): number {
  return Math.max(minLogprob, logit - normalizer);
}

/** The logarithm of the sum of all exponentials, and the numbers of the largest logits, largest first. */
function measure(logits: Float32Array, count: number): { normalizer: number; largest: number[] } {
  const largest: number[] = [];
  let most = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > most) most = logit;
  let sum = 0;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] as number;
    sum += Math.exp(logit - most);
    const last = largest.at(-1);
    if (largest.length < count || (last !== undefined && logit > (logits[last] as number)))
      insert(largest, token, logits, count);
  }
  return { normalizer: most + Math.log(sum), largest };
}

function insert(largest: number[], token: number, logits: Float32Array, count: number): void {
  if (count === 0) return;
  const slot = largest.findIndex((other) => (logits[token] as number) > (logits[other] as number));
  largest.splice(slot === -1 ? largest.length : slot, 0, token);
  if (largest.length > count) largest.pop();
}
