// The prediction head of a model: layers that predict the token after the next one, from the hidden state of a token and the
// token that was chosen after it (multi-token prediction). Its drafts continue with its own hidden states.
//
// The states of the model exist only after a pass. So the head is shown every pass of a sequence that is alone, keeps the
// last states, and evaluates them when a draft is wanted. What it has not seen only makes its drafts worse: it begins where
// its states begin. It remembers nothing of other requests.

import type { Batch } from '../llama/batch.ts';
import type { EngineContext } from '../llama/context.ts';
import { createHiddenStates } from './hidden-states.ts';
import { createLikelyToken } from './likely-token.ts';

interface HeadOrder {
  /** Maximum tokens. */
  readonly count: number;
  /** The request whose tokens these are. */
  readonly request: number;
}

interface ObservedPass {
  readonly request: number;
  /** The position of its first token. */
  readonly position: number;
  /** Tokens that stay in the sequence, from the first row of the pass on. */
  readonly count: number;
}

export interface HeadOptions {
  readonly context: Pick<EngineContext, 'decode' | 'logits' | 'forget'>;
  /** The rows are tokens with hidden states. The capacity is the number of tokens that one call evaluates. */
  readonly batch: Batch;
  readonly width: number;
  /** The hidden state of a row of the model's last pass. */
  readonly modelState: (row: number) => Float32Array;
  /** The hidden state of a row with logits of the head's last pass. */
  readonly ownState: (row: number) => Float32Array;
  readonly isEnd: (token: number) => boolean;
}

// The end of a prompt. More would take longer before the first draft, and adds little.
const keptStates = 512;
const sequence = 0;

export function createPredictionHead(options: HeadOptions) {
  const { context, batch, width, modelState, ownState, isEnd } = options;
  const states = createHiddenStates(width, keptStates);
  const likelyToken = createLikelyToken();
  let owner: number | undefined;
  // The next position to evaluate with a state of the model, and the one after the last cell.
  let next = 0;
  let filled = 0;
  let broken = false;

  const cut = (position: number): void => {
    if (filled > position && !context.forget(sequence, position))
      throw new Error('the prediction head cannot remove tokens');
    next = position;
    filled = position;
  };

  const add = (token: number, state: Float32Array, { logits }: { readonly logits: boolean }): number => {
    const row = batch.add({ token, position: filled, sequence, logits });
    batch.struct.embd?.set(state, row * width);
    filled++;
    return row;
  };

  const decode = (): void => {
    if (context.decode(batch) !== 'done') throw new Error('the KV cache of the prediction head is full');
  };

  /** Undefined if tokens are left for the next call. Otherwise the row of the last one. */
  const catchUp = (tokens: readonly number[]): number | undefined => {
    // A token is evaluated with the state of the one before it.
    if (states.first >= next) {
      cut(0);
      next = states.first + 1;
    } else cut(next);
    filled = next;
    batch.clear();
    let row = 0;
    for (const end = Math.min(tokens.length, next + batch.capacity); next < end; next++)
      row = add(tokens[next] as number, states.at(next - 1), { logits: next === tokens.length - 1 });
    decode();
    states.dropBefore(next - 1);
    return next === tokens.length ? row : undefined;
  };

  const guess = (first: number, count: number): number[] => {
    const draft: number[] = [];
    for (let row = first; ; ) {
      const token = likelyToken(context.logits(row));
      if (token === undefined) return draft;
      draft.push(token);
      if (draft.length === count || isEnd(token)) return draft;
      const state = ownState(row);
      batch.clear();
      row = add(token, state, { logits: true });
      decode();
    }
  };

  return {
    /** Whether a pass is worth showing that leaves so many tokens of a prompt. */
    wants: (left: number): boolean => !broken && left < keptStates,
    observe({ request, position, count }: ObservedPass): void {
      if (request !== owner || position !== states.end) next = 0;
      owner = request;
      for (let row = Math.max(0, count - keptStates); row < count; row++) states.add(position + row, modelState(row));
    },
    /** The likeliest next tokens, as far as it is sure of them. Undefined if it has not seen the last pass, or has to catch up. */
    draft(tokens: readonly number[], { count, request }: HeadOrder): readonly number[] | undefined {
      if (broken || request !== owner || states.end !== tokens.length - 1 || states.end === states.first)
        return undefined;
      try {
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

export type PredictionHead = ReturnType<typeof createPredictionHead>;
