import { expect, test } from 'vitest';
import { layerWeights } from './layer-weights.ts';
import type { GgufTensor } from './read-gguf.ts';

const tensor = (name: string, bytes: number, shape: readonly number[] = [1, 1]): GgufTensor =>
  ({ name, bytes, shape }) as GgufTensor;
const metadata = (layers: unknown) =>
  new Map<string, never>(Object.entries({ 'general.architecture': 'test', 'test.block_count': layers }) as never);
const weightsOf = (tensors: readonly GgufTensor[], layers: unknown = 2) =>
  layerWeights({ metadata: metadata(layers), tensors });

const common = [
  tensor('token_embd.weight', 100, [8, 500]),
  tensor('blk.0.attn_q.weight', 10),
  tensor('blk.0.ffn_up.weight', 5),
  tensor('blk.1.attn_q.weight', 20),
  tensor('output_norm.weight', 1),
];

test('the bytes of each layer, of the input and of the output', () => {
  expect(weightsOf([...common, tensor('output.weight', 70)])).toEqual({
    layers: [15, 20],
    experts: [0, 0],
    input: 100,
    output: 71,
    vocabulary: 500,
  });
});

test('the experts of each layer, without those that every token uses', () => {
  const experts = [
    ...['ffn_up_exps', 'ffn_gate_exps', 'ffn_down_exps', 'ffn_up_shexp', 'ffn_gate_inp'].map(
      (name) => `blk.1.${name}.weight`,
    ),
  ].map((name) => tensor(name, 7));
  expect(weightsOf([...common, ...experts])).toMatchObject({ layers: [15, 55], experts: [0, 21] });
});

test('without an output matrix, the embeddings are copied', () => {
  expect(weightsOf(common)).toMatchObject({ input: 100, output: 101 });
});

test('tensors of layers beyond the declared ones count with the output', () => {
  expect(weightsOf([...common, tensor('blk.7.attn_q.weight', 3), tensor('output.weight', 70)])?.output).toBe(74);
});

test.each([
  ['no layers', common, 0],
  ['too many layers', common, 5000],
  ['no number of layers', common, 'many'],
  ['a layer without tensors', common, 3],
  ['no embeddings', common.slice(1), 2],
])('%s: unknown', (_, tensors, layers) => {
  expect(weightsOf(tensors, layers)).toBeUndefined();
});
