// Tiny models of an architecture with random weights, and adapters for them.

import { f32, type Keys, type Shapes, type TinyModel, text, tinyModel, u32 } from '../architectures/tiny-model.ts';
import { type Family, groups } from './family-keys.ts';
import type { FamilyEngine } from './tensor-shapes.ts';
import { vocabularies } from './vocabularies.ts';

/** `extra`: names of tensors that the engine does not require. */
export function familyModel(
  engine: FamilyEngine,
  name: string,
  family: Family,
  extra: readonly string[] = [],
): TinyModel {
  const { layers = 2, keys = {}, vocabulary = 'bpe', optional, tied, empty } = family;
  const all: Keys = { ...groups.common, '.block_count': u32(layers), ...keys, ...vocabularies[vocabulary] };
  if (empty) return tinyModel(name, all, [['token_embd.weight', groups.width, 8]]);
  const ofLayers = Array.from({ length: layers }, (_, layer) =>
    (optional?.split(' ') ?? []).map((tensor) => (tensor.startsWith('blk.') ? tensor : `blk.${layer}.${tensor}`)),
  );
  const wanted = [...new Set([...(tied ? [] : ['output.weight']), ...ofLayers.flat(), ...extra])];
  return tinyModel(name, all, engine.shapesOf(tinyModel(name, all, []).keys, wanted));
}

const adaptedTensor = /(attn_output|ffn_down|ssm_out|time_mix_output)\.weight$/;
const adapterRank = 4;

/** Undefined if the model has no matrix that it would change. */
export function familyAdapter(name: string, { tensors }: TinyModel): TinyModel | undefined {
  const shapes: Shapes = tensors.flatMap(({ name: tensor, shape: [from = 0, to = 0, ...more] }) =>
    adaptedTensor.test(tensor) && more.length === 0
      ? [
          [`${tensor}.lora_a`, from, adapterRank],
          [`${tensor}.lora_b`, adapterRank, to],
        ]
      : [],
  );
  const keys = { 'general.type': text('adapter'), 'adapter.type': text('lora'), 'adapter.lora.alpha': f32(16) };
  return shapes.length === 0 ? undefined : tinyModel(name, keys, shapes);
}

const [unknown, control] = [2, 3] as const;

/** Tokens that stand for no text, or for a part of a character. An answer has none of them. */
export function excludedTokens({ keys }: TinyModel): number[] {
  const types = keys['tokenizer.ggml.token_type'];
  const tokens = keys['tokenizer.ggml.tokens'];
  if (types?.type !== 'i32s' || tokens?.type !== 'strings') return [];
  return tokens.value.flatMap((text, token) => {
    const type = types.value[token];
    return type === unknown || type === control || /^<0x[89A-F]/.test(text) ? [token] : [];
  });
}
