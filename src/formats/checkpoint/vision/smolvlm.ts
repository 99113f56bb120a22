// SmolVLM and Idefics 3: SigLIP, and a matrix over squares of neighboring patches.

import { asObject } from '../../../base/json-values.ts';
import { isUint32 } from '../files/json-object.ts';
import { isEmbedding, siglipNames } from './siglip-names.ts';
import { integerIn, numberIn } from './tower-settings.ts';
import type { VisionTower } from './vision-tower.ts';

export const smolVlm: VisionTower = {
  models: ['SmolVLMForConditionalGeneration', 'Idefics3ForConditionalGeneration'],
  defaults: () => ({
    hidden_size: 1152,
    intermediate_size: 3072,
    num_hidden_layers: 12,
    num_attention_heads: 16,
    image_size: 224,
    patch_size: 32,
    layer_norm_eps: 1e-6,
  }),
  names: siglipNames('model.vision_model', { 'model.connector.modality_projection.proj': 'mm.model.fc' }),
  rename: (name) => (/^model\.(?:vision_model|connector)\./.test(name) ? name : undefined),
  typeOf: (name) => (isEmbedding(name) ? 'F32' : undefined),
  describe({ config, vision, preprocessor }, metadata) {
    metadata.string('projector_type', 'idefics3');
    metadata.f32('vision.attention.layer_norm_epsilon', numberIn(vision, 'layer_norm_eps', 1e-5));
    metadata.u32('vision.projector.scale_factor', integerIn({ scale_factor: 2, ...config }, 'scale_factor'));
    metadata.bool('use_gelu', true);
    const longest = asObject(preprocessor['size'])['longest_edge'];
    metadata.u32('vision.preproc_image_size', isUint32(longest) ? longest : integerIn(vision, 'image_size'));
  },
};
