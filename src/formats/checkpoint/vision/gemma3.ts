// Gemma 3: SigLIP, a pooling of its patches, a norm and a matrix.

import { isEmbedding, siglipNames } from './siglip-names.ts';
import { integerIn, numberIn } from './tower-settings.ts';
import type { VisionTower } from './vision-tower.ts';

const usualTokens = 256;
/** Patches that are pooled, in each direction. llama.cpp assumes it. */
const usualScale = 4;

export const gemma3Tower: VisionTower = {
  models: ['Gemma3ForConditionalGeneration'],
  defaults: () => ({
    hidden_size: 768,
    intermediate_size: 3072,
    num_hidden_layers: 12,
    num_attention_heads: 12,
    image_size: 224,
    patch_size: 16,
  }),
  names: siglipNames('vision_tower.vision_model', {
    'multi_modal_projector.mm_input_projection': 'mm.input_projection',
    'multi_modal_projector.mm_soft_emb_norm': 'mm.soft_emb_norm',
  }),
  rename(name) {
    const own = name.replace(/^model\./, '');
    if (own.includes('vision_model.head.') || !/^(?:multi_modal_projector|vision_tower)\./.test(own)) return undefined;
    return own.replaceAll('_weight', '.weight');
  },
  // Gemma multiplies by one more than the weight of a norm.
  split: (source, name) =>
    name.endsWith('soft_emb_norm.weight') ? [{ name, piece: { source, values: 'addOne' } }] : undefined,
  typeOf(name) {
    if (name === 'mm.input_projection.weight') return 'F16';
    return isEmbedding(name) || name.endsWith('_norm.weight') ? 'F32' : undefined;
  },
  describe({ vision, preprocessor }, metadata) {
    metadata.string('projector_type', 'gemma3');
    metadata.f32('vision.attention.layer_norm_epsilon', numberIn(vision, 'layer_norm_eps', 1e-6));
    metadata.bool('use_gelu', true);
    const tokens = numberIn(preprocessor, 'image_seq_length', usualTokens);
    const patches = Math.floor(integerIn(vision, 'image_size') / integerIn(vision, 'patch_size'));
    const scale = Math.floor(patches / Math.floor(Math.sqrt(tokens)));
    if (scale > 0 && scale !== usualScale) metadata.u32('vision.projector.scale_factor', scale);
  },
};
