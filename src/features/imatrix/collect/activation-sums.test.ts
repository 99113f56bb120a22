import { expect, test } from 'vitest';
import { weightsNameOf } from './activation-sums.ts';

test.each([
  ['blk.0.attn_k.weight', 'blk.0.attn_k.weight'],
  ['CUDA0#blk.0.attn_k.weight#0', 'blk.0.attn_k.weight'],
  ['CUDA0#blk.0.attn_k.weight', 'blk.0.attn_k.weight'],
  ['', ''],
])('the weights of %s', (name, weights) => {
  expect(weightsNameOf(name)).toBe(weights);
});
