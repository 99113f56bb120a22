// The text model of Qwen 2.5 VL. vision/qwen25vl.ts has the image encoder.

import type { Family } from './family.ts';
import { qwen2 } from './qwen.ts';

export const qwen25VlText: Family = {
  ...qwen2,
  models: ['Qwen2_5_VLForConditionalGeneration'],
  architecture: 'qwen2vl',
  defaults: (config) => ({ ...qwen2.defaults(config), rope_theta: 1_000_000, num_key_value_heads: 8 }),
};
