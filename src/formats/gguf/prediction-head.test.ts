import { describe, expect, test } from 'vitest';
import type { GgufMetadata } from './metadata.ts';
import { hasPredictionHead } from './prediction-head.ts';
import type { GgufTensor } from './read-gguf.ts';

const head = ['nextn.eh_proj.weight', 'nextn.enorm.weight', 'nextn.hnorm.weight'];
const tensor = (name: string): GgufTensor => ({ name, shape: [1], type: 'F32' as never, offset: 0, bytes: 4 });

function has(architecture: string, heads: number | undefined, tensors: readonly string[], layers = 10): boolean {
  const metadata: GgufMetadata = new Map<string, string | number>([
    ['general.architecture', architecture],
    [`${architecture}.block_count`, layers],
    ...(heads === undefined ? [] : [[`${architecture}.nextn_predict_layers`, heads] as const]),
  ]);
  return hasPredictionHead({ metadata, tensors: tensors.map(tensor) });
}

const at = (layer: number, names: readonly string[] = head): string[] => names.map((name) => `blk.${layer}.${name}`);

describe('a model has a prediction head', () => {
  test('if its last layer is one', () => {
    expect(has('glm4moe', 1, at(9))).toBe(true);
    expect(has('qwen35', 1, at(9))).toBe(true);
  });

  test('not if the head was left out, or a part of it', () => {
    expect(has('glm4moe', 1, [])).toBe(false);
    expect(has('glm4moe', 1, at(9).slice(1))).toBe(false);
    expect(has('glm4moe', 1, at(8))).toBe(false);
    expect(has('glm4moe', undefined, at(9))).toBe(false);
    expect(has('glm4moe', 0, at(9))).toBe(false);
  });

  test('not in an architecture whose heads are not evaluated', () => {
    expect(has('qwen3next', 1, at(9))).toBe(false);
    expect(has('constructor', 1, at(9))).toBe(false);
  });

  test('several only where llama.cpp allows them', () => {
    expect(has('glm4moe', 2, [...at(8), ...at(9)])).toBe(false);
    expect(has('step35', 3, [...at(7), ...at(8), ...at(9)])).toBe(true);
    expect(has('step35', 3, [...at(8), ...at(9)])).toBe(false);
    expect(has('step35', 2 ** 31, at(9))).toBe(false);
  });

  test('not without the tensors at whose absence llama.cpp aborts', () => {
    expect(has('mimo2', 1, at(9))).toBe(false);
    const dense = ['attn_qkv.weight', 'ffn_gate.weight', 'ffn_down.weight', 'ffn_up.weight'];
    expect(has('mimo2', 1, [...at(9), ...at(9, dense)])).toBe(true);
  });
});
