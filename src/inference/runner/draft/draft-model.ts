// A small model that drafts tokens for another one with the same vocabulary. It has one sequence: the tokens of the
// request that it drafted for last, so that the next turn of a conversation finds most of them evaluated.

import type { Batch } from '../llama/batch.ts';
import type { EngineContext } from '../llama/context.ts';
import { createLikelyToken } from './likely-token.ts';

interface DraftOrder {
  /** Maximum tokens. */
  readonly count: number;
  /** What was evaluated for one partition is not used for another. */
  readonly partition: string;
}

export interface DraftModelOptions {
  readonly context: Pick<EngineContext, 'decode' | 'logits' | 'forget'>;
  /** The capacity is the number of tokens that one call evaluates. */
  readonly batch: Batch;
  readonly contextLength: number;
  /** The vocabulary of the model that verifies. The other one may be a little larger. */
  readonly vocabularySize: number;
  readonly isEnd: (token: number) => boolean;
}

const sequence = 0;

export function createDraftModel(options: DraftModelOptions) {
  const { context, batch, contextLength, vocabularySize, isEnd } = options;
  const evaluated: number[] = [];
  const likelyToken = createLikelyToken();
  let owner = '';
  let broken = false;

  const cut = (length: number): void => {
    if (length === evaluated.length) return;
    evaluated.length = length;
    if (!context.forget(sequence, length)) throw new Error('the draft model cannot remove tokens');
  };

  /** Returns the row of the last token, which has logits. */
  const evaluate = (tokens: readonly number[]): number => {
    batch.clear();
    const last = tokens.length - 1;
    tokens.forEach((token, index) => {
      batch.add({ token, position: evaluated.length + index, sequence, logits: index === last });
    });
    if (context.decode(batch) !== 'done') throw new Error('the KV cache of the draft model is full');
    for (const token of tokens) evaluated.push(token);
    return last;
  };

  /** Undefined if tokens are left for the next call. Otherwise the row of the last one. */
  const catchUp = (tokens: readonly number[]): number | undefined => {
    // The last token is evaluated in any case: its logits are needed.
    cut(commonPrefix(evaluated, tokens, tokens.length - 1));
    const missing = tokens.slice(evaluated.length, evaluated.length + batch.capacity);
    const row = evaluate(missing);
    return evaluated.length === tokens.length ? row : undefined;
  };

  const guess = (first: number, count: number): number[] => {
    const draft: number[] = [];
    for (let row = first; ; ) {
      const token = likelyToken(context.logits(row));
      if (token === undefined || token >= vocabularySize) return draft;
      draft.push(token);
      if (draft.length === count || isEnd(token)) return draft;
      row = evaluate([token]);
    }
  };

  return {
    /**
     * The likeliest next tokens, as far as it is sure of them. Undefined while it has not evaluated all tokens: each call
     * evaluates a limited number, so that a long prompt delays the answer by little at a time.
     */
    draft(tokens: readonly number[], { count, partition }: DraftOrder): readonly number[] | undefined {
      if (broken || tokens.length + count > contextLength) return undefined;
      try {
        if (partition !== owner) cut(0);
        owner = partition;
        const row = catchUp(tokens);
        return row === undefined ? undefined : guess(row, count);
      } catch {
        // Answers are right without it.
        broken = true;
        return undefined;
      }
    },
  };
}

export type DraftModel = ReturnType<typeof createDraftModel>;

function commonPrefix(a: readonly number[], b: readonly number[], max: number): number {
  const limit = Math.min(a.length, max);
  let length = 0;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}
