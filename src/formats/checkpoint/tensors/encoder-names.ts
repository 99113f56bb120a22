// Names of the tensors of newer encoders: those of transformers, and those of llama.cpp.

import { bertNames, extendNames, type TensorNames } from './tensor-names.ts';

export const modernBertNames: TensorNames = {
  layers: 'layers',
  outside: {
    'embeddings.tok_embeddings': 'token_embd',
    'embeddings.norm': 'token_embd_norm',
    final_norm: 'output_norm',
    'head.dense': 'cls',
    'head.norm': 'cls.norm',
    classifier: 'cls.output',
  },
  inLayer: {
    attn_norm: 'attn_norm',
    'attn.Wqkv': 'attn_qkv',
    'attn.Wo': 'attn_output',
    mlp_norm: 'ffn_norm',
    'mlp.Wi': 'ffn_up',
    'mlp.Wo': 'ffn_down',
  },
};

/** Nomic and Jina 3: one matrix for queries, keys and values. */
export const fusedBertNames: TensorNames = {
  layers: 'encoder.layers',
  outside: { ...bertNames.outside, emb_ln: 'token_embd_norm' },
  inLayer: {
    'attn.Wqkv': 'attn_qkv',
    'attn.out_proj': 'attn_output',
    'mixer.Wqkv': 'attn_qkv',
    'mixer.out_proj': 'attn_output',
    norm1: 'attn_output_norm',
    norm2: 'layer_output_norm',
    'mlp.fc1': 'ffn_up',
    'mlp.fc11': 'ffn_up',
    'mlp.fc12': 'ffn_gate',
    'mlp.fc2': 'ffn_down',
    'mlp.router.layer': 'ffn_gate_inp',
    'mlp.experts.mlp.w1': 'ffn_up_exps',
    'mlp.experts.mlp.w2': 'ffn_down_exps',
  },
};

/** Jina 2. The model for code has other names for the same parts, and norms of queries and keys. */
export const jina2Names: TensorNames = extendNames(bertNames, {
  'attention.self.layer_norm_q': 'attn_q_norm',
  'attention.self.layer_norm_k': 'attn_k_norm',
  layer_norm_1: 'attn_norm_2',
  layer_norm_2: 'layer_output_norm',
  'mlp.gated_layers': 'ffn_up',
  'mlp.up_gated_layer': 'ffn_up',
  'mlp.wo': 'ffn_down',
  'mlp.down_layer': 'ffn_down',
  'mlp.layernorm': 'layer_output_norm',
});
