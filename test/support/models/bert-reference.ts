// A reference implementation of BERT as in the paper: one text at a time, in double precision. Tests compare the
// engine's vectors with it.

import { type BertWeights, bertShape } from './tiny-bert.ts';

type Vector = readonly number[];

/** The output of the rank head for the tokens of a pair. */
export function bertScore(weights: BertWeights, tokens: readonly number[]): number {
  const first = bertVector(weights, tokens, 'cls');
  const [score] = linear(weights, 'cls.output', linear(weights, 'cls', first).map(Math.tanh));
  return score as number;
}

export function bertVector(weights: BertWeights, tokens: readonly number[], pooling: 'mean' | 'cls'): number[] {
  let states = tokens.map((token, position) => {
    const sum = add(row(weights, 'token_embd.weight', token), row(weights, 'position_embd.weight', position));
    return normalize(weights, 'token_embd_norm', add(sum, row(weights, 'token_types.weight', 0)));
  });
  for (let layer = 0; layer < bertShape.layers; layer++) states = block(weights, `blk.${layer}`, states);
  return pooling === 'cls' ? [...(states[0] as Vector)] : mean(states);
}

function block(weights: BertWeights, name: string, states: readonly Vector[]): Vector[] {
  const attended = attention(weights, name, states);
  return states.map((state, index) => {
    const middle = normalize(weights, `${name}.attn_output_norm`, add(state, attended[index] as Vector));
    const inner = linear(weights, `${name}.ffn_up`, middle).map(gelu);
    return normalize(weights, `${name}.layer_output_norm`, add(middle, linear(weights, `${name}.ffn_down`, inner)));
  });
}

function attention(weights: BertWeights, name: string, states: readonly Vector[]): Vector[] {
  const [queries, keys, values] = ['attn_q', 'attn_k', 'attn_v'].map((part) =>
    states.map((state) => linear(weights, `${name}.${part}`, state)),
  ) as [Vector[], Vector[], Vector[]];
  const size = bertShape.width / bertShape.heads;
  return queries.map((query) => {
    const heads = Array.from({ length: bertShape.heads }, (_, head) => {
      const part = (vector: Vector): Vector => vector.slice(head * size, (head + 1) * size);
      const shares = softmax(keys.map((key) => dot(part(query), part(key)) / Math.sqrt(size)));
      return mean(values.map((value, index) => part(value).map((x) => x * (shares[index] as number) * values.length)));
    });
    return linear(weights, `${name}.attn_output`, heads.flat());
  });
}

function row(weights: BertWeights, name: string, index: number): Vector {
  return [...(weights.get(name) as Float32Array).subarray(index * bertShape.width, (index + 1) * bertShape.width)];
}

function linear(weights: BertWeights, name: string, input: Vector): Vector {
  const matrix = weights.get(`${name}.weight`) as Float32Array;
  const bias = weights.get(`${name}.bias`) as Float32Array;
  return Array.from(bias, (start, out) =>
    input.reduce((sum, x, index) => sum + x * (matrix[out * input.length + index] as number), start),
  );
}

function normalize(weights: BertWeights, name: string, input: Vector): Vector {
  const scale = weights.get(`${name}.weight`) as Float32Array;
  const bias = weights.get(`${name}.bias`) as Float32Array;
  const middle = input.reduce((sum, x) => sum + x, 0) / input.length;
  const variance = input.reduce((sum, x) => sum + (x - middle) ** 2, 0) / input.length;
  const spread = Math.sqrt(variance + bertShape.epsilon);
  return input.map((x, index) => ((x - middle) / spread) * (scale[index] as number) + (bias[index] as number));
}

/** The usual approximation, within a thousandth of the exact value. */
function gelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}

function softmax(input: Vector): Vector {
  const largest = Math.max(...input);
  const weights = input.map((x) => Math.exp(x - largest));
  const total = weights.reduce((sum, x) => sum + x, 0);
  return weights.map((x) => x / total);
}

function add(a: Vector, b: Vector): Vector {
  return a.map((x, index) => x + (b[index] as number));
}

function dot(a: Vector, b: Vector): number {
  return a.reduce((sum, x, index) => sum + x * (b[index] as number), 0);
}

function mean(vectors: readonly Vector[]): number[] {
  const first = vectors[0] as Vector;
  return first.map((_, index) => vectors.reduce((sum, vector) => sum + (vector[index] as number), 0) / vectors.length);
}
