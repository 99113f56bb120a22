// Names of the tensors of SigLIP, which many models have as image encoder.

import type { TensorNames } from '../tensors/tensor-names.ts';

/** `prefix`: of the encoder in the checkpoint. */
export function siglipNames(prefix: string, projector: Readonly<Record<string, string>>): TensorNames {
  return {
    layers: `${prefix}.encoder.layers`,
    outside: {
      [`${prefix}.embeddings.patch_embedding`]: 'v.patch_embd',
      [`${prefix}.embeddings.position_embedding`]: 'v.position_embd',
      [`${prefix}.post_layernorm`]: 'v.post_ln',
      ...projector,
    },
    inLayer: {
      layer_norm1: 'ln1',
      'self_attn.q_proj': 'attn_q',
      'self_attn.k_proj': 'attn_k',
      'self_attn.v_proj': 'attn_v',
      'self_attn.out_proj': 'attn_out',
      layer_norm2: 'ln2',
      'mlp.fc1': 'ffn_up',
      'mlp.fc2': 'ffn_down',
    },
  };
}

/** The convolution over patches and the table of positions are computed in F32. */
export function isEmbedding(name: string): boolean {
  return name.startsWith('v.patch_embd.') || name.startsWith('v.position_embd.');
}
