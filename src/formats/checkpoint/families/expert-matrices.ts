// Experts of a layer whose matrices are single tensors.

import type { ExpertNames } from './family.ts';

export const expertMatrices: ExpertNames = {
  pattern: /^mlp\.experts\.(\d+)\.((?:down|gate|up)_proj)\.weight$/,
  matrices: { down_proj: 'ffn_down_exps', gate_proj: 'ffn_gate_exps', up_proj: 'ffn_up_exps' },
};
