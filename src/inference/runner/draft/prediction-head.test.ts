import { describe, expect, test } from 'vitest';
import { createBatch } from '../llama/batch.ts';
import { createHiddenStates } from './hidden-states.ts';
import { createPredictionHead, type HeadOptions } from './prediction-head.ts';

const size = 32;
const end = 31;

/** A head that counts. A state is the number of its token, plus a half if the head has made it. */
function createCounting(overrides: Partial<HeadOptions> = {}) {
  const batch = createBatch(4, { width: 1 });
  const passes: [token: number, state: number][][] = [];
  let cells = 0;
  let first = 0;
  const context: HeadOptions['context'] = {
    decode({ struct }) {
      const rows = Array.from(struct.token.subarray(0, struct.n_tokens), (token, row): [number, number] => [
        token,
        struct.embd?.[row] as number,
      ]);
      if (cells === first) [first, cells] = [struct.pos[0] as number, struct.pos[0] as number];
      expect(struct.pos[0]).toBe(cells);
      cells += rows.length;
      passes.push(rows);
      return 'done';
    },
    logits(row) {
      const logits = new Float32Array(size).fill(-10);
      logits[((passes.at(-1)?.[row]?.[0] as number) + 1) % size] = 10;
      return logits;
    },
    forget(_, from) {
      cells = Math.max(first, Math.min(cells, from));
      return true;
    },
  };
  let shown: readonly number[] = [];
  const head = createPredictionHead({
    context,
    batch,
    width: 1,
    modelState: (row) => Float32Array.of(shown[row] as number),
    ownState: (row) => Float32Array.of((passes.at(-1)?.[row]?.[0] as number) + 0.5),
    isEnd: (token) => token === end,
    ...overrides,
  });
  return {
    passes,
    /** Shows tokens that a pass evaluated, and drafts after one more token. */
    observe(tokens: readonly number[], position = 0, request = 1) {
      shown = tokens;
      head.observe({ request, position, count: tokens.length });
    },
    draft: (tokens: readonly number[], count = 3, request = 1) => head.draft(tokens, { count, request }),
  };
}

describe('a prediction head', () => {
  test('evaluates tokens with the states of those before them, and goes on with its own', () => {
    const { observe, draft, passes } = createCounting();
    observe([5, 6, 7]);
    expect(draft([5, 6, 7, 8])).toEqual([9, 10, 11]);
    expect(passes).toEqual([
      [
        [6, 5],
        [7, 6],
        [8, 7],
      ],
      [[9, 8.5]],
      [[10, 9.5]],
    ]);
  });

  test('forgets its drafts, and evaluates what the model has chosen', () => {
    const { observe, draft, passes } = createCounting();
    observe([5, 6]);
    draft([5, 6, 7]);
    observe([7, 8], 2);
    expect(draft([5, 6, 7, 8, 20])).toEqual([21, 22, 23]);
    expect(passes.slice(3)).toEqual([
      [
        [8, 7],
        [20, 8],
      ],
      [[21, 20.5]],
      [[22, 21.5]],
    ]);
  });

  test('reads many tokens in parts, and drafts when it has read all', () => {
    const { observe, draft, passes } = createCounting();
    observe([1, 2, 3, 4, 5, 6]);
    expect(draft([1, 2, 3, 4, 5, 6, 7])).toBeUndefined();
    observe([7], 6);
    expect(draft([1, 2, 3, 4, 5, 6, 7, 8], 1)).toEqual([9]);
    expect(passes.map((pass) => pass.map(([token]) => token))).toEqual([
      [2, 3, 4, 5],
      [6, 7, 8],
    ]);
  });

  test('begins where its states begin', () => {
    const { observe, draft, passes } = createCounting();
    observe([6, 7], 100);
    expect(draft([...new Array<number>(100).fill(0), 6, 7, 8], 1)).toEqual([9]);
    expect(passes).toEqual([
      [
        [7, 6],
        [8, 7],
      ],
    ]);
  });

  test('begins again after a pass that it has not seen, and with another request', () => {
    const { observe, draft, passes } = createCounting();
    observe([5, 6]);
    draft([5, 6, 7], 1);
    observe([9, 10], 4);
    expect(draft([5, 6, 7, 8, 9, 10, 11], 1)).toEqual([12]);
    observe([11, 12], 6, 2);
    expect(draft([0, 0, 0, 0, 0, 0, 11, 12, 13], 1, 2)).toEqual([14]);
    expect(passes.slice(1)).toEqual([
      [
        [10, 9],
        [11, 10],
      ],
      [
        [12, 11],
        [13, 12],
      ],
    ]);
  });

  test('drafts nothing for a request whose last pass it has not seen', () => {
    const { observe, draft } = createCounting();
    expect(draft([1, 2])).toBeUndefined();
    observe([5, 6]);
    expect(draft([5, 6, 7], 3, 2)).toBeUndefined();
    expect(draft([5, 6, 7, 8])).toBeUndefined();
  });

  test('drafts nothing after the end of an answer, nor what it is not sure of', () => {
    const { observe, draft } = createCounting();
    observe([28]);
    expect(draft([28, 29], 9)).toEqual([30, 31]);
    const unsure = createCounting({
      context: { decode: () => 'done', forget: () => true, logits: () => new Float32Array(size) },
    });
    unsure.observe([5]);
    expect(unsure.draft([5, 6])).toEqual([]);
  });

  test('drafts nothing any more after a failure', () => {
    let fails = true;
    const { observe, draft } = createCounting({
      context: {
        decode: () => (fails ? 'full' : 'done'),
        forget: () => true,
        logits: () => Float32Array.of(9, 0),
      },
    });
    observe([5]);
    expect(draft([5, 6])).toBeUndefined();
    fails = false;
    observe([6], 1);
    expect(draft([5, 6, 7])).toBeUndefined();
  });
});

describe('hidden states', () => {
  const state = (value: number): Float32Array => Float32Array.of(value, -value);

  test('keep the last ones, in order', () => {
    const states = createHiddenStates(2, 4);
    for (let position = 10; position < 15; position++) states.add(position, state(position));
    expect([states.first, states.end]).toEqual([12, 15]);
    expect(Array.from(states.at(14))).toEqual([14, -14]);
    states.dropBefore(14);
    expect([states.first, states.end, states.at(14)[0]]).toEqual([14, 15, 14]);
    states.dropBefore(99);
    expect([states.first, states.end]).toEqual([15, 15]);
  });

  test('begin again where a state does not follow', () => {
    const states = createHiddenStates(2, 4);
    states.add(0, state(1));
    states.add(7, state(2));
    expect([states.first, states.end, states.at(7)[0]]).toEqual([7, 8, 2]);
  });
});
