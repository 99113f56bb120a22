// Names of tensors: those of transformers and those of llama.cpp.

export interface TensorNames {
  /** The prefix of the names of layers. */
  readonly layers: string;
  /** Without `.weight` or `.bias`. */
  readonly outside: Readonly<Record<string, string>>;
  readonly inLayer: Readonly<Record<string, string>>;
}

/** An ending that is not listed is part of the name in the table. */
const suffixes = ['.weight', '.bias'] as const;

/** Undefined for a tensor that the family does not have. */
export function mapTensorName(name: string, names: TensorNames): string | undefined {
  const suffix = suffixes.find((ending) => name.endsWith(ending)) ?? '';
  const bare = name.slice(0, name.length - suffix.length);
  if (Object.hasOwn(names.outside, bare)) return `${names.outside[bare]}${suffix}`;
  const layer = layerOf(bare, names);
  if (layer === undefined || !Object.hasOwn(names.inLayer, layer.rest)) return undefined;
  return `blk.${layer.number}.${names.inLayer[layer.rest]}${suffix}`;
}

/** The number of the layer that a tensor belongs to, and the rest of its name. */
export function layerOf(
  name: string,
  { layers }: TensorNames,
): { readonly number: number; readonly rest: string } | undefined {
  if (!name.startsWith(`${layers}.`)) return undefined;
  const match = /^(\d{1,4})\.(.+)$/.exec(name.slice(layers.length + 1));
  return match === null ? undefined : { number: Number(match[1]), rest: match[2] as string };
}

const decoderOutside = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
} as const;

const attention = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
} as const;

const feedForward = {
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
} as const;

/** Llama, Mistral, Qwen. */
export const decoderNames: TensorNames = {
  layers: 'model.layers',
  outside: decoderOutside,
  inLayer: {
    ...attention,
    ...feedForward,
    input_layernorm: 'attn_norm',
    post_attention_layernorm: 'ffn_norm',
    'block_sparse_moe.gate': 'ffn_gate_inp',
    'mlp.gate': 'ffn_gate_inp',
    'mlp.shared_expert_gate': 'ffn_gate_inp_shexp',
    'mlp.shared_expert.gate_proj': 'ffn_gate_shexp',
    'mlp.shared_expert.up_proj': 'ffn_up_shexp',
    'mlp.shared_expert.down_proj': 'ffn_down_shexp',
  },
};

/** A table with more rows, which replace those of the same name. */
export function extendNames(
  { layers, outside, inLayer }: TensorNames,
  rows: Readonly<Record<string, string>>,
  outsideRows: Readonly<Record<string, string>> = {},
): TensorNames {
  return { layers, outside: { ...outside, ...outsideRows }, inLayer: { ...inLayer, ...rows } };
}

/** Gemma has a norm before and after each part of a layer. */
export const gemmaNames: TensorNames = {
  layers: 'model.layers',
  outside: decoderOutside,
  inLayer: {
    ...attention,
    ...feedForward,
    input_layernorm: 'attn_norm',
    post_attention_layernorm: 'post_attention_norm',
    pre_feedforward_layernorm: 'ffn_norm',
    post_feedforward_layernorm: 'post_ffw_norm',
  },
};

/** Phi has one matrix for queries, keys and values, and one for both inputs of the activation. */
export const phiNames: TensorNames = {
  layers: 'model.layers',
  outside: decoderOutside,
  inLayer: {
    input_layernorm: 'attn_norm',
    post_attention_layernorm: 'ffn_norm',
    'self_attn.qkv_proj': 'attn_qkv',
    'self_attn.o_proj': 'attn_output',
    'mlp.gate_up_proj': 'ffn_up',
    'mlp.down_proj': 'ffn_down',
  },
};

const encoderOutside = {
  'embeddings.word_embeddings': 'token_embd',
  'embeddings.position_embeddings': 'position_embd',
  'embeddings.token_type_embeddings': 'token_types',
  'embeddings.LayerNorm': 'token_embd_norm',
  'classifier.dense': 'cls',
  'classifier.out_proj': 'cls.output',
} as const;

export const bertNames: TensorNames = {
  layers: 'encoder.layer',
  outside: encoderOutside,
  inLayer: {
    'attention.self.query': 'attn_q',
    'attention.self.key': 'attn_k',
    'attention.self.value': 'attn_v',
    'attention.output.dense': 'attn_output',
    'attention.output.LayerNorm': 'attn_output_norm',
    'intermediate.dense': 'ffn_up',
    'output.dense': 'ffn_down',
    'output.LayerNorm': 'layer_output_norm',
  },
};

export const distilBertNames: TensorNames = {
  layers: 'transformer.layer',
  outside: { ...encoderOutside, pre_classifier: 'cls' },
  inLayer: {
    'attention.q_lin': 'attn_q',
    'attention.k_lin': 'attn_k',
    'attention.v_lin': 'attn_v',
    'attention.out_lin': 'attn_output',
    sa_layer_norm: 'attn_output_norm',
    'ffn.lin1': 'ffn_up',
    'ffn.lin2': 'ffn_down',
    output_layer_norm: 'layer_output_norm',
  },
};
