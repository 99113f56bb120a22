// Checkpoints of encoders whose code is not part of transformers. Names of settings and tensors are the published ones.

import { jinaCodeFiles, unigramFiles } from './reference-tokenizers.ts';
import { type Files, wordPieceFiles } from './tokenizers.ts';
import { encodeSafetensors, type Weights } from './write-safetensors.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const tokens = 280;
const [hidden, inner, layers, heads, experts] = [48, 64, 2, 4, 4];

const weight = (name: string, ...shape: number[]): Weights => ({ name: `${name}.weight`, shape, type: 'F16' });
const bias = (name: string, size: number): Weights => ({ name: `${name}.bias`, shape: [size], type: 'F16' });
const linear = (name: string, rows: number, columns: number): Weights[] => [
  weight(name, rows, columns),
  bias(name, rows),
];
const norm = (name: string): Weights[] => [weight(name, hidden), bias(name, hidden)];

const perLayer = (prefix: string, ofLayer: (layer: string, index: number) => readonly Weights[]): Weights[] =>
  Array.from({ length: layers }, (_, index) => ofLayer(`${prefix}.${index}`, index)).flat();

const meanPooling: Files = {
  'modules.json': json([
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
    { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
  ]),
  '1_Pooling/config.json': json({ word_embedding_dimension: hidden, pooling_mode_mean_tokens: true }),
};

const remote = (model: string) => ({ architectures: [model], auto_map: { AutoModel: `modeling.${model}` } });
const files = (config: unknown, tokenizer: Files, weights: readonly Weights[]): Files => ({
  'config.json': json(config),
  ...tokenizer,
  ...meanPooling,
  'model.safetensors': encodeSafetensors(weights),
});

const jinaConfig = {
  ...remote('JinaBertModel'),
  model_type: 'bert',
  vocab_size: tokens,
  hidden_size: hidden,
  intermediate_size: inner,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  max_position_embeddings: 512,
  layer_norm_eps: 1e-12,
  type_vocab_size: 2,
  pad_token_id: 0,
  position_embedding_type: 'alibi',
  feed_forward_type: 'geglu',
};

const jinaEmbeddings: readonly Weights[] = [
  weight('embeddings.word_embeddings', tokens, hidden),
  weight('embeddings.token_type_embeddings', 2, hidden),
  ...norm('embeddings.LayerNorm'),
  ...linear('pooler.dense', hidden, hidden),
];

const jinaAttention = (layer: string): Weights[] => [
  ...['query', 'key', 'value'].flatMap((part) => linear(`${layer}.attention.self.${part}`, hidden, hidden)),
  ...linear(`${layer}.attention.output.dense`, hidden, hidden),
  ...norm(`${layer}.attention.output.LayerNorm`),
];

const jina2 = (): Files =>
  files(jinaConfig, wordPieceFiles(), [
    ...jinaEmbeddings,
    ...perLayer('encoder.layer', (layer) => [
      ...jinaAttention(layer),
      weight(`${layer}.mlp.gated_layers`, 2 * inner, hidden),
      ...linear(`${layer}.mlp.wo`, hidden, inner),
      ...norm(`${layer}.mlp.layernorm`),
    ]),
  ]);

/** Other names, and norms of queries and keys. */
const jina2Code = (): Files =>
  files(jinaConfig, jinaCodeFiles(), [
    ...jinaEmbeddings,
    ...perLayer('encoder.layer', (layer) => [
      ...jinaAttention(layer),
      ...['layer_norm_q', 'layer_norm_k'].flatMap((name) => norm(`${layer}.attention.self.${name}`)),
      ...['layer_norm_1', 'layer_norm_2'].flatMap((name) => norm(`${layer}.${name}`)),
      weight(`${layer}.mlp.up_gated_layer`, 2 * inner, hidden),
      ...linear(`${layer}.mlp.down_layer`, hidden, inner),
    ]),
  ]);

/** Every second layer has experts. */
const nomicMoe = (): Files =>
  files(
    {
      ...remote('NomicBertModel'),
      model_type: 'nomic_bert',
      n_embd: hidden,
      n_head: heads,
      n_inner: inner,
      n_layer: layers,
      n_positions: 2048,
      activation_function: 'gelu',
      causal: false,
      prenorm: false,
      qkv_proj_bias: true,
      mlp_fc1_bias: true,
      mlp_fc2_bias: true,
      rotary_emb_base: 10_000,
      rotary_emb_fraction: 1,
      rotary_emb_interleaved: false,
      rotary_emb_scale_base: null,
      layer_norm_epsilon: 1e-5,
      type_vocab_size: 1,
      vocab_size: tokens,
      pad_token_id: 1,
      num_experts: experts,
      moe_every_n_layers: 2,
      moe_top_k: 2,
    },
    unigramFiles(),
    [
      weight('embeddings.word_embeddings', tokens, hidden),
      weight('embeddings.token_type_embeddings', 1, hidden),
      ...norm('emb_ln'),
      ...perLayer('encoder.layers', (layer, index) => [
        ...linear(`${layer}.attn.Wqkv`, 3 * hidden, hidden),
        ...linear(`${layer}.attn.out_proj`, hidden, hidden),
        ...norm(`${layer}.norm1`),
        ...norm(`${layer}.norm2`),
        ...(index % 2 === 0
          ? [...linear(`${layer}.mlp.fc1`, inner, hidden), ...linear(`${layer}.mlp.fc2`, hidden, inner)]
          : [
              weight(`${layer}.mlp.router.layer`, experts, hidden),
              ...['w1', 'w2'].map(
                (name): Weights => ({
                  name: `${layer}.mlp.experts.mlp.${name}`,
                  shape: [experts * inner, hidden],
                  type: 'F16',
                }),
              ),
              bias(`${layer}.mlp.experts`, hidden),
            ]),
      ]),
    ],
  );

/** A matrix with its adapters: one of each kind of texts. */
const adapted = (name: string, rows: number, columns: number): Weights[] => [
  { name: `${name}.parametrizations.weight.original`, shape: [rows, columns], type: 'F16' },
  { name: `${name}.parametrizations.weight.0.lora_A`, shape: [2, 4, columns], type: 'F16' },
  { name: `${name}.parametrizations.weight.0.lora_B`, shape: [2, rows, 4], type: 'F16' },
];
const adaptedLinear = (name: string, rows: number, columns: number): Weights[] => [
  ...adapted(name, rows, columns),
  bias(name, rows),
];

const jina3 = (): Files =>
  files(
    {
      ...remote('XLMRobertaModel'),
      model_type: 'xlm-roberta',
      vocab_size: tokens,
      hidden_size: hidden,
      intermediate_size: inner,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      max_position_embeddings: 514,
      layer_norm_eps: 1e-5,
      type_vocab_size: 1,
      pad_token_id: 1,
      bos_token_id: 0,
      eos_token_id: 2,
      position_embedding_type: 'rotary',
      rotary_emb_base: 20_000,
      lora_adaptations: ['retrieval.query', 'retrieval.passage'],
      lora_alpha: 1,
    },
    unigramFiles(),
    [
      ...adapted('roberta.embeddings.word_embeddings', tokens, hidden),
      ...adapted('roberta.embeddings.token_type_embeddings', 1, hidden),
      ...norm('roberta.emb_ln'),
      ...adaptedLinear('roberta.pooler.dense', hidden, hidden),
      ...perLayer('roberta.encoder.layers', (layer) => [
        ...adaptedLinear(`${layer}.mixer.Wqkv`, 3 * hidden, hidden),
        ...adaptedLinear(`${layer}.mixer.out_proj`, hidden, hidden),
        ...adaptedLinear(`${layer}.mlp.fc1`, inner, hidden),
        ...adaptedLinear(`${layer}.mlp.fc2`, hidden, inner),
        ...norm(`${layer}.norm1`),
        ...norm(`${layer}.norm2`),
      ]),
    ],
  );

export const ownCodeCheckpoints: Readonly<Record<string, () => Files>> = {
  'jina-2': jina2,
  'jina-2-code': jina2Code,
  'jina-3-adapters': jina3,
  'nomic-bert-moe': nomicMoe,
};
