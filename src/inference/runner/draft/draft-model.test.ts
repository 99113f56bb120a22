import { describe, expect, test } from 'vitest';
import { createBatch } from '../llama/batch.ts';
import { createDraftModel, type DraftModelOptions } from './draft-model.ts';

const size = 32;
const end = 31;

/** A model that counts: the next number follows every token. */
function createCounting(overrides: Partial<DraftModelOptions> = {}) {
  const batch = createBatch(4);
  const passes: number[][] = [];
  let cells: number[] = [];
  const context: DraftModelOptions['context'] = {
    decode({ struct }) {
      const added = Array.from(struct.token.subarray(0, struct.n_tokens));
      expect(struct.pos[0]).toBe(cells.length);
      cells.push(...added);
      passes.push(added);
      return 'done';
    },
    logits(row) {
      const logits = new Float32Array(size).fill(-10);
      logits[((passes.at(-1)?.[row] as number) + 1) % size] = 10;
      return logits;
    },
    forget(_, from) {
      cells = cells.slice(0, from);
      return true;
    },
  };
  const model = createDraftModel({
    context,
    batch,
    contextLength: 20,
    vocabularySize: size,
    isEnd: (token) => token === end,
    ...overrides,
  });
  return { model, passes, cells: () => cells };
}

const order = { count: 3, partition: '' };

describe('a draft model', () => {
  test('drafts the likeliest tokens', () => {
    const { model, passes } = createCounting();
    expect(model.draft([5, 6], order)).toEqual([7, 8, 9]);
    expect(passes).toEqual([[5, 6], [7], [8]]);
  });

  test('evaluates only what it has not evaluated before, and forgets wrong drafts', () => {
    const { model, passes, cells } = createCounting();
    model.draft([5, 6], order);
    expect(model.draft([5, 6, 7, 20], order)).toEqual([21, 22, 23]);
    expect(passes.slice(3)).toEqual([[20], [21], [22]]);
    expect(cells()).toEqual([5, 6, 7, 20, 21, 22]);
  });

  test('reads a long prompt in parts, and drafts when it has read all', () => {
    const { model, passes } = createCounting();
    const prompt = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect(model.draft(prompt, order)).toBeUndefined();
    expect(model.draft([...prompt, 10], order)).toBeUndefined();
    expect(model.draft([...prompt, 10, 11], order)).toEqual([12, 13, 14]);
    expect(passes.slice(0, 3)).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10, 11],
    ]);
  });

  test('uses nothing that it has evaluated for another partition', () => {
    const { model, passes } = createCounting();
    model.draft([5, 6], order);
    model.draft([5, 6], { count: 1, partition: 'other' });
    expect(passes.at(-1)).toEqual([5, 6]);
  });

  test('drafts nothing after the end of an answer, nor tokens that the other vocabulary lacks', () => {
    expect(createCounting().model.draft([29], { ...order, count: 9 })).toEqual([30, 31]);
    expect(createCounting({ vocabularySize: 9 }).model.draft([6], order)).toEqual([7, 8]);
  });

  test('drafts nothing that it is not sure of', () => {
    const { model } = createCounting();
    const unsure = createCounting({
      context: { decode: () => 'done', forget: () => true, logits: () => new Float32Array(size) },
    });
    expect(unsure.model.draft([1], order)).toEqual([]);
    expect(model.draft([1], order)).toHaveLength(3);
  });

  test('drafts nothing in a context that is too short', () => {
    const { model } = createCounting({ contextLength: 4 });
    expect(model.draft([1, 2], order)).toBeUndefined();
  });

  test('drafts nothing any more after a failure', () => {
    let fails = true;
    const { model } = createCounting({
      context: {
        decode: () => (fails ? 'full' : 'done'),
        forget: () => true,
        logits: () => Float32Array.of(9, 0),
      },
    });
    expect(model.draft([1], order)).toBeUndefined();
    fails = false;
    expect(model.draft([1], order)).toBeUndefined();
  });
});
