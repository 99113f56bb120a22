// The text model of SmolVLM and Idefics 3: a Llama. vision/smolvlm.ts has the image encoder.

import { asObject, stringsOf } from '../../../base/json-values.ts';
import { unusable } from '../files/checkpoint-error.ts';
import type { Family } from './family.ts';
import { llama } from './llama.ts';

const usualHeads = 32;
const wholeModels = ['SmolVLMForConditionalGeneration', 'Idefics3ForConditionalGeneration'];

export const smolVlmText: Family = {
  ...llama,
  models: ['VLlama3ForCausalLM', 'LlamaForCausalLM', ...wholeModels],
  applies: (config) => stringsOf(config['architectures']).some((model) => wholeModels.includes(model)),
  defaults(config) {
    const text = asObject(config['text_config']);
    if ((text['model_type'] ?? 'llama') !== 'llama') throw unusable('its text model is not a Llama');
    const heads = { num_attention_heads: usualHeads, ...text }.num_attention_heads;
    return { ...llama.defaults({ ...text, num_attention_heads: heads }), num_attention_heads: heads };
  },
  rename: (name) => name.replace('text_model.', ''),
};
