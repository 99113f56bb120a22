import koffi from 'koffi';
import { expect, test } from 'vitest';
import { splitRows } from './embedding-batch.ts';

test('a batch has the same part of each list of positions, and the sequence for every row', () => {
  const rows = {
    count: 3,
    values: Float32Array.of(1, 1.5, 2, 2.5, 3, 3.5),
    positions: Int32Array.of(10, 11, 12, 20, 21, 22),
    sequence: 5,
    isCausal: true,
  };
  const batches = [...splitRows(rows, 2)];
  expect(batches).toMatchObject([
    { n_tokens: 2, token: null, embd: Float32Array.of(1, 1.5, 2, 2.5), pos: Int32Array.of(10, 11, 20, 21) },
    { n_tokens: 1, token: null, embd: Float32Array.of(3, 3.5), pos: Int32Array.of(12, 22) },
  ]);
  for (const { n_tokens: count, seq_id: pointers, n_seq_id: counts, logits } of batches) {
    const sequences = [...pointers.subarray(0, count)].map((pointer) => new Int32Array(koffi.view(pointer, 4))[0]);
    expect(sequences).toEqual(new Array<number>(count).fill(5));
    expect([...counts]).toEqual(new Array<number>(count).fill(1));
    expect([...logits]).toEqual(new Array<number>(count).fill(0));
  }
});
