// Small checkpoints of every family, with random weights: config.json, tokenizer and safetensors files.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownCodeCheckpoints } from './own-code.ts';
import { publishedCheckpoints } from './published.ts';
import {
  beginTemplate,
  bytePairFiles,
  bytePairSize,
  bytePairSpecials,
  type Files,
  robertaFiles,
  sentencePieceFiles,
  sentencePieceSize,
  wordPieceFiles,
  wordPieceSize,
} from './tokenizers.ts';
import { encodeSafetensors, type Weights, type WeightType } from './write-safetensors.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

interface DecoderShape {
  readonly hidden: number;
  readonly inner: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly headSize: number;
  readonly tokens: number;
}

const small: DecoderShape = { hidden: 64, inner: 96, layers: 2, heads: 4, keyHeads: 2, headSize: 16, tokens: 0 };

function configOf(architecture: string, shape: DecoderShape, others: Readonly<Record<string, unknown>> = {}) {
  return {
    architectures: [architecture],
    hidden_size: shape.hidden,
    intermediate_size: shape.inner,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyHeads,
    max_position_embeddings: 512,
    vocab_size: shape.tokens,
    bos_token_id: 1,
    eos_token_id: 2,
    ...others,
  };
}

interface DecoderOptions {
  readonly type: WeightType;
  readonly bias?: boolean;
  /** Norms of queries and keys. */
  readonly headNorms?: boolean;
  /** A norm after each part of a layer. */
  readonly postNorms?: boolean;
  readonly head?: boolean;
  readonly prefix?: string;
  readonly feedForward?: (layer: string, shape: DecoderShape, matrix: Matrix) => Weights[];
}

type Matrix = (name: string, ...shape: number[]) => Weights;

function decoderWeights(shape: DecoderShape, options: DecoderOptions): Weights[] {
  const { type, bias = false, headNorms = false, postNorms = false, head = true, prefix = 'model.' } = options;
  const { feedForward = gatedFeedForward } = options;
  const matrix: Matrix = (name, ...sizes) => ({ name: `${name}.weight`, shape: sizes, type });
  const { hidden, headSize, heads, keyHeads } = shape;
  const layerWeights = (number: number): Weights[] => {
    const layer = `${prefix}layers.${number}`;
    const norms = ['input_layernorm', 'post_attention_layernorm'];
    if (postNorms) norms.push('pre_feedforward_layernorm', 'post_feedforward_layernorm');
    const projections: (readonly [string, number])[] = [
      ['q_proj', heads],
      ['k_proj', keyHeads],
      ['v_proj', keyHeads],
    ];
    return [
      ...norms.map((norm) => matrix(`${layer}.${norm}`, hidden)),
      ...projections.flatMap(([name, count]) => [
        matrix(`${layer}.self_attn.${name}`, count * headSize, hidden),
        ...(bias ? [{ name: `${layer}.self_attn.${name}.bias`, shape: [count * headSize], type }] : []),
      ]),
      matrix(`${layer}.self_attn.o_proj`, hidden, heads * headSize),
      ...(headNorms ? ['q_norm', 'k_norm'].map((norm) => matrix(`${layer}.self_attn.${norm}`, headSize)) : []),
      ...feedForward(layer, shape, matrix),
    ];
  };
  return [
    matrix(`${prefix}embed_tokens`, shape.tokens, hidden),
    matrix(`${prefix}norm`, hidden),
    ...Array.from({ length: shape.layers }, (_, number) => layerWeights(number)).flat(),
    ...(head ? [matrix('lm_head', shape.tokens, hidden)] : []),
  ];
}

function gatedFeedForward(layer: string, { hidden, inner }: DecoderShape, matrix: Matrix): Weights[] {
  return [
    matrix(`${layer}.mlp.gate_proj`, inner, hidden),
    matrix(`${layer}.mlp.up_proj`, inner, hidden),
    matrix(`${layer}.mlp.down_proj`, hidden, inner),
  ];
}

const expertCount = 4;
const expertInner = 32;

function mixtralFeedForward(layer: string, { hidden, inner }: DecoderShape, matrix: Matrix): Weights[] {
  const experts = Array.from({ length: expertCount }, (_, number) => {
    const expert = `${layer}.block_sparse_moe.experts.${number}`;
    return [
      matrix(`${expert}.w1`, inner, hidden),
      matrix(`${expert}.w2`, hidden, inner),
      matrix(`${expert}.w3`, inner, hidden),
    ];
  });
  return [matrix(`${layer}.block_sparse_moe.gate`, expertCount, hidden), ...experts.flat()];
}

const qwenExperts =
  (isShared: boolean) =>
  (layer: string, { hidden }: DecoderShape, matrix: Matrix): Weights[] => {
    const expert = (name: string, inner: number): Weights[] => [
      matrix(`${name}.gate_proj`, inner, hidden),
      matrix(`${name}.up_proj`, inner, hidden),
      matrix(`${name}.down_proj`, hidden, inner),
    ];
    const experts = Array.from({ length: expertCount }, (_, number) =>
      expert(`${layer}.mlp.experts.${number}`, expertInner),
    );
    const shared = isShared
      ? [matrix(`${layer}.mlp.shared_expert_gate`, 1, hidden), ...expert(`${layer}.mlp.shared_expert`, 2 * expertInner)]
      : [];
    return [matrix(`${layer}.mlp.gate`, expertCount, hidden), ...experts.flat(), ...shared];
  };

function phiWeights(shape: DecoderShape, type: WeightType): Weights[] {
  const { hidden, inner, heads, keyHeads, headSize, tokens } = shape;
  const matrix: Matrix = (name, ...sizes) => ({ name: `${name}.weight`, shape: sizes, type });
  const layers = Array.from({ length: shape.layers }, (_, number) => {
    const layer = `model.layers.${number}`;
    return [
      matrix(`${layer}.input_layernorm`, hidden),
      matrix(`${layer}.post_attention_layernorm`, hidden),
      matrix(`${layer}.self_attn.qkv_proj`, (heads + 2 * keyHeads) * headSize, hidden),
      matrix(`${layer}.self_attn.o_proj`, hidden, heads * headSize),
      matrix(`${layer}.mlp.gate_up_proj`, 2 * inner, hidden),
      matrix(`${layer}.mlp.down_proj`, hidden, inner),
    ];
  });
  return [
    matrix('model.embed_tokens', tokens, hidden),
    matrix('model.norm', hidden),
    ...layers.flat(),
    matrix('lm_head', tokens, hidden),
  ];
}

const bertShape = { hidden: 48, inner: 96, layers: 2, heads: 4, positions: 64 } as const;

interface EncoderOptions {
  readonly prefix?: string;
  readonly tokens: number;
  readonly type: WeightType;
  readonly isDistilled?: boolean;
}

function encoderWeights({ prefix = '', tokens, type, isDistilled = false }: EncoderOptions): Weights[] {
  const { hidden, inner, layers, positions } = bertShape;
  const linear = (name: string, rows: number, columns: number): Weights[] => [
    { name: `${prefix}${name}.weight`, shape: [rows, columns], type },
    { name: `${prefix}${name}.bias`, shape: [rows], type },
  ];
  const norm = (name: string): Weights[] => [
    { name: `${prefix}${name}.weight`, shape: [hidden], type },
    { name: `${prefix}${name}.bias`, shape: [hidden], type },
  ];
  const bertLayer = (layer: string): Weights[] => [
    ...['query', 'key', 'value'].flatMap((part) => linear(`${layer}.attention.self.${part}`, hidden, hidden)),
    ...linear(`${layer}.attention.output.dense`, hidden, hidden),
    ...norm(`${layer}.attention.output.LayerNorm`),
    ...linear(`${layer}.intermediate.dense`, inner, hidden),
    ...linear(`${layer}.output.dense`, hidden, inner),
    ...norm(`${layer}.output.LayerNorm`),
  ];
  const distilledLayer = (layer: string): Weights[] => [
    ...['q_lin', 'k_lin', 'v_lin', 'out_lin'].flatMap((part) => linear(`${layer}.attention.${part}`, hidden, hidden)),
    ...norm(`${layer}.sa_layer_norm`),
    ...linear(`${layer}.ffn.lin1`, inner, hidden),
    ...linear(`${layer}.ffn.lin2`, hidden, inner),
    ...norm(`${layer}.output_layer_norm`),
  ];
  const embeddings: (readonly [string, number])[] = [
    ['word_embeddings', tokens],
    ['position_embeddings', positions],
  ];
  if (!isDistilled) embeddings.push(['token_type_embeddings', 2]);
  return [
    ...embeddings.map(([name, rows]) => ({ name: `${prefix}embeddings.${name}.weight`, shape: [rows, hidden], type })),
    ...norm('embeddings.LayerNorm'),
    ...Array.from({ length: layers }, (_, number) =>
      isDistilled ? distilledLayer(`transformer.layer.${number}`) : bertLayer(`encoder.layer.${number}`),
    ).flat(),
  ];
}

const bertConfig = {
  hidden_size: bertShape.hidden,
  intermediate_size: bertShape.inner,
  num_hidden_layers: bertShape.layers,
  num_attention_heads: bertShape.heads,
  max_position_embeddings: bertShape.positions,
  type_vocab_size: 2,
};

/** The files that sentence-transformers adds. */
const sentenceFiles = (mode: string): Files => ({
  'modules.json': json([
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
    { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
    { idx: 2, name: '2', path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
  ]),
  '1_Pooling/config.json': json({ word_embedding_dimension: bertShape.hidden, [`pooling_mode_${mode}`]: true }),
  'sentence_bert_config.json': json({ max_seq_length: 24, do_lower_case: false }),
});

const weightsFile = (tensors: readonly Weights[]): Files => ({ 'model.safetensors': encodeSafetensors(tensors) });

/** Two files and their index. */
function shardedFiles(tensors: readonly Weights[]): Files {
  const half = Math.floor(tensors.length / 2);
  const shards = [tensors.slice(0, half), tensors.slice(half)];
  const nameOf = (number: number): string => `model-0000${number + 1}-of-00002.safetensors`;
  const map = shards.flatMap((shard, number) => shard.map(({ name }) => [name, nameOf(number)] as const));
  return {
    ...Object.fromEntries(shards.map((shard, number) => [nameOf(number), encodeSafetensors(shard)])),
    'model.safetensors.index.json': json({ metadata: {}, weight_map: Object.fromEntries(map) }),
  };
}

const spm: DecoderShape = { ...small, tokens: sentencePieceSize + 4 };
const bpe: DecoderShape = { ...small, tokens: bytePairSize + 6 };
const gemmaSettings = { tokenizer_class: 'GemmaTokenizer', chat_template: '{{ bos_token }}' };
const gemmaShape: DecoderShape = { ...spm, headSize: 32 };
const longFactors = Array.from({ length: small.headSize / 2 }, (_, index) => 1 + index / 7);

/** Files by checkpoint. */
export const checkpoints: Readonly<Record<string, () => Files>> = {
  'llama-3': () => ({
    'config.json': json(
      configOf('LlamaForCausalLM', bpe, {
        model_type: 'llama',
        rope_theta: 500_000,
        rms_norm_eps: 1e-5,
        rope_scaling: {
          factor: 32,
          low_freq_factor: 1,
          high_freq_factor: 4,
          original_max_position_embeddings: 256,
          rope_type: 'llama3',
        },
        eos_token_id: [1, 2],
      }),
    ),
    'generation_config.json': json({ temperature: 0.6, top_p: 0.9, do_sample: true }),
    ...bytePairFiles({ pre: 'llama-bpe', postProcessor: beginTemplate }),
    ...weightsFile(decoderWeights(bpe, { type: 'BF16' })),
  }),
  'llama-2': () => ({
    'config.json': json(
      configOf('LlamaForCausalLM', spm, { model_type: 'llama', rope_scaling: { type: 'linear', factor: 2 } }),
    ),
    ...sentencePieceFiles({ add_prefix_space: true }),
    ...weightsFile([
      ...decoderWeights(spm, { type: 'F16' }),
      { name: 'model.layers.0.self_attn.rotary_emb.inv_freq', shape: [8], type: 'F32' },
    ]),
  }),
  smollm: () => ({
    'config.json': json(
      configOf('LlamaForCausalLM', bpe, { model_type: 'llama', tie_word_embeddings: true, attention_bias: true }),
    ),
    ...bytePairFiles({ pre: 'smollm', mergePairs: true, settings: { pad_token: '<|im_end|>' } }),
    ...shardedFiles(decoderWeights(bpe, { type: 'F32', head: false, bias: true })),
  }),
  mistral: () => ({
    'config.json': json(
      configOf(
        'MistralForCausalLM',
        { ...spm, headSize: 32 },
        { model_type: 'mistral', head_dim: 32, sliding_window: 128 },
      ),
    ),
    ...sentencePieceFiles(),
    ...weightsFile(decoderWeights({ ...spm, headSize: 32 }, { type: 'BF16' })),
  }),
  'mistral-nemo': () => ({
    'config.json': json(configOf('MistralForCausalLM', bpe, { model_type: 'mistral', rope_theta: 1_000_000 })),
    ...bytePairFiles({ pre: 'tekken', settings: { add_bos_token: true } }),
    ...weightsFile(decoderWeights(bpe, { type: 'BF16' })),
  }),
  mixtral: () => ({
    'config.json': json(
      configOf('MixtralForCausalLM', spm, {
        model_type: 'mixtral',
        num_local_experts: expertCount,
        num_experts_per_tok: 2,
      }),
    ),
    ...sentencePieceFiles(),
    ...weightsFile(decoderWeights(spm, { type: 'F16', feedForward: mixtralFeedForward })),
  }),
  'qwen-2': () => ({
    'config.json': json(
      configOf('Qwen2ForCausalLM', bpe, {
        model_type: 'qwen2',
        rope_scaling: { type: 'yarn', factor: 4, original_max_position_embeddings: 128 },
      }),
    ),
    ...bytePairFiles({
      pre: 'qwen2',
      tokenizerClass: 'Qwen2Tokenizer',
      settings: { add_bos_token: false, bos_token: null },
    }),
    ...weightsFile(decoderWeights(bpe, { type: 'BF16', bias: true, head: false })),
  }),
  'qwen-2-moe': () => ({
    'config.json': json(
      configOf('Qwen2MoeForCausalLM', bpe, {
        model_type: 'qwen2_moe',
        num_experts: expertCount,
        num_experts_per_tok: 2,
        moe_intermediate_size: expertInner,
        shared_expert_intermediate_size: 2 * expertInner,
      }),
    ),
    ...bytePairFiles({ pre: 'qwen2' }),
    ...shardedFiles(decoderWeights(bpe, { type: 'BF16', bias: true, feedForward: qwenExperts(true) })),
  }),
  'qwen-3': () => ({
    'config.json': json(
      configOf('Qwen3ForCausalLM', bpe, { model_type: 'qwen3', head_dim: 16, rope_theta: 1_000_000 }),
    ),
    ...bytePairFiles({ pre: 'qwen2' }),
    ...weightsFile(decoderWeights(bpe, { type: 'BF16', headNorms: true })),
  }),
  'qwen-3-embedding': () => ({
    'config.json': json(configOf('Qwen3Model', bpe, { model_type: 'qwen3', head_dim: 16 })),
    ...bytePairFiles({ pre: 'qwen2' }),
    ...sentenceFiles('lasttoken'),
    ...weightsFile(decoderWeights(bpe, { type: 'BF16', headNorms: true, head: false, prefix: '' })),
  }),
  'qwen-3-moe': () => ({
    'config.json': json(
      configOf('Qwen3MoeForCausalLM', bpe, {
        model_type: 'qwen3_moe',
        head_dim: 16,
        num_experts: expertCount,
        num_experts_per_tok: 2,
        moe_intermediate_size: expertInner,
      }),
    ),
    ...bytePairFiles({ pre: 'qwen2' }),
    ...weightsFile(decoderWeights(bpe, { type: 'BF16', headNorms: true, feedForward: qwenExperts(false) })),
  }),
  gemma: () => ({
    'config.json': json(configOf('GemmaForCausalLM', gemmaShape, { model_type: 'gemma', head_dim: 32 })),
    ...sentencePieceFiles(gemmaSettings),
    ...weightsFile(decoderWeights(gemmaShape, { type: 'F16', head: false })),
  }),
  'gemma-2': () => ({
    'config.json': json(
      configOf('Gemma2ForCausalLM', gemmaShape, { model_type: 'gemma2', head_dim: 32, sliding_window: 64 }),
    ),
    ...sentencePieceFiles(gemmaSettings),
    ...weightsFile(decoderWeights(gemmaShape, { type: 'BF16', postNorms: true })),
  }),
  'gemma-3': () => ({
    'config.json': json(
      configOf('Gemma3ForCausalLM', gemmaShape, { model_type: 'gemma3_text', head_dim: 32, sliding_window: 64 }),
    ),
    ...sentencePieceFiles(gemmaSettings),
    ...weightsFile(decoderWeights(gemmaShape, { type: 'BF16', postNorms: true, headNorms: true, head: false })),
  }),
  'gemma-3-vision': () => ({
    'config.json': json({
      architectures: ['Gemma3ForConditionalGeneration'],
      model_type: 'gemma3',
      vision_config: { hidden_size: 32, model_type: 'siglip_vision_model' },
      text_config: {
        model_type: 'gemma3_text',
        hidden_size: 64,
        intermediate_size: 96,
        num_hidden_layers: 2,
        head_dim: 32,
        vocab_size: gemmaShape.tokens,
        sliding_window: 128,
        rope_scaling: { rope_type: 'linear', factor: 8 },
      },
    }),
    ...sentencePieceFiles(gemmaSettings),
    ...weightsFile([
      ...decoderWeights(
        { ...gemmaShape, heads: 8, keyHeads: 4 },
        { type: 'BF16', postNorms: true, headNorms: true, head: false, prefix: 'language_model.model.' },
      ),
      { name: 'vision_tower.vision_model.embeddings.patch_embedding.weight', shape: [4, 3, 2, 2], type: 'BF16' },
      { name: 'multi_modal_projector.mm_input_projection_weight', shape: [4, 4], type: 'BF16' },
    ]),
  }),
  'phi-3': () => ({
    'config.json': json(
      configOf('Phi3ForCausalLM', spm, {
        model_type: 'phi3',
        max_position_embeddings: 1024,
        original_max_position_embeddings: 256,
        sliding_window: 262,
        rope_scaling: { type: 'longrope', long_factor: longFactors, short_factor: longFactors.toReversed() },
      }),
    ),
    ...sentencePieceFiles(),
    ...weightsFile(phiWeights(spm, 'BF16')),
  }),
  'phi-4': () => ({
    'config.json': json(
      configOf('Phi3ForCausalLM', bpe, { model_type: 'phi3', sliding_window: null, rope_theta: 250_000 }),
    ),
    ...bytePairFiles({ pre: 'dbrx', tokenizerClass: 'GPT2Tokenizer' }),
    ...weightsFile(phiWeights(bpe, 'BF16')),
  }),
  bert: () => ({
    'config.json': json({ architectures: ['BertModel'], model_type: 'bert', vocab_size: wordPieceSize, ...bertConfig }),
    ...wordPieceFiles(),
    ...sentenceFiles('mean_tokens'),
    ...weightsFile([
      ...encoderWeights({ tokens: wordPieceSize, type: 'F32' }),
      { name: 'embeddings.position_ids', shape: [1, 64], type: 'I64' },
      { name: 'pooler.dense.weight', shape: [48, 48], type: 'F32' },
      { name: 'pooler.dense.bias', shape: [48], type: 'F32' },
    ]),
  }),
  'distil-bert': () => ({
    'config.json': json({
      architectures: ['DistilBertForMaskedLM'],
      model_type: 'distilbert',
      vocab_size: wordPieceSize,
      n_layers: 2,
      n_heads: 4,
      dim: 48,
      hidden_dim: 96,
      max_position_embeddings: 64,
    }),
    ...wordPieceFiles(),
    ...sentenceFiles('cls_token'),
    ...weightsFile([
      ...encoderWeights({ tokens: wordPieceSize, type: 'F16', isDistilled: true, prefix: 'distilbert.' }),
      { name: 'vocab_transform.weight', shape: [48, 48], type: 'F16' },
    ]),
  }),
  roberta: () => ({
    'config.json': json({
      architectures: ['RobertaModel'],
      model_type: 'roberta',
      vocab_size: bytePairSize,
      pad_token_id: 1,
      layer_norm_eps: 1e-5,
      ...bertConfig,
    }),
    ...robertaFiles(),
    ...sentenceFiles('mean_tokens'),
    ...weightsFile(encoderWeights({ tokens: bytePairSize, type: 'F32', prefix: 'roberta.' })),
  }),
  ...ownCodeCheckpoints,
  ...publishedCheckpoints,
};

/**
 * For other engines, which want heads of 64 numbers and a longer context. Its answers have no meaning, and end only at a
 * limit if the most probable tokens are chosen.
 */
export function endlessLlama(): Files {
  const shape: DecoderShape = { ...bpe, hidden: 128, inner: 256, heads: 2, keyHeads: 2, headSize: 64 };
  const settings = { model_type: 'llama', rms_norm_eps: 1e-5, max_position_embeddings: 2048 };
  const weights = encodeSafetensors(decoderWeights(shape, { type: 'F32' }));
  // The last rows of the last tensor are those of the special tokens. Of many random numbers, some are greater than 0.
  const specials = shape.tokens - bytePairSize + bytePairSpecials.length;
  weights.fill(0, weights.length - specials * shape.hidden * Float32Array.BYTES_PER_ELEMENT);
  return {
    'config.json': json(configOf('LlamaForCausalLM', shape, { ...settings, eos_token_id: shape.tokens - 1 })),
    ...bytePairFiles({ pre: 'llama-bpe', postProcessor: beginTemplate }),
    'model.safetensors': weights,
  };
}

/** A LoRA adapter for `llama-3`. */
export function adapterFiles(settings: Readonly<Record<string, unknown>> = {}): Files {
  const rank = 4;
  const pair = (name: string, rows: number, columns: number): Weights[] => [
    { name: `base_model.model.model.layers.${name}.lora_A.weight`, shape: [rank, columns], type: 'BF16' },
    { name: `base_model.model.model.layers.${name}.lora_B.weight`, shape: [rows, rank], type: 'BF16' },
  ];
  return {
    'adapter_config.json': json({ peft_type: 'LORA', r: rank, lora_alpha: 12, ...settings }),
    'adapter_model.safetensors': encodeSafetensors([
      ...pair('0.self_attn.q_proj', 64, 64),
      ...pair('0.self_attn.k_proj', 32, 64),
      ...pair('1.self_attn.v_proj', 32, 64),
      ...pair('1.mlp.down_proj', 64, 96),
    ]),
  };
}

export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
