// Language models without other parts: architecture names, keys and tensor names.

import { type DialectRow, f32Entry, preTokenizer, textEntry, u32Entry, useLargest } from '../dialect-row.ts';
import type { HeaderEdit, HeaderReader } from '../header-edit.ts';

const gptOss: DialectRow = {
  name: 'gptoss',
  architectures: ['gptoss'],
  editWeights(edit) {
    edit.renameArchitecture('gptoss', 'gpt-oss');
    const experts = edit.tensor('blk.0.ffn_gate_exps.weight');
    if (experts !== undefined) edit.setDefault('gpt-oss.expert_feed_forward_length', u32Entry(experts.shape[1] ?? 0));
    edit.setDefault('gpt-oss.rope.scaling.type', textEntry('yarn'));
    // Published files name a general one, with which the channels of an answer are split into other tokens.
    edit.set(preTokenizer, textEntry('gpt-4o'));
    edit.replaceInNames([
      [/\.attn_out(?!put)/, '.attn_output'],
      [/\.attn_sinks$/, '.attn_sinks.weight'],
      ['.ffn_norm', '.post_attention_norm'],
    ]);
  },
};

const olmo3: DialectRow = {
  name: 'olmo3',
  architectures: ['olmo3'],
  // The same tensors. llama.cpp's olmo2 has the sliding window, too.
  editWeights: (edit) => edit.renameArchitecture('olmo3', 'olmo2'),
};

const lfm2: DialectRow = {
  name: 'lfm2',
  architectures: ['lfm2'],
  applies: (header) => header.tensor('output_norm.weight') !== undefined && !header.hasTensor('token_embd_norm.weight'),
  editWeights(edit) {
    edit.rename('output_norm.weight', 'token_embd_norm.weight');
    edit.set(preTokenizer, textEntry('lfm2'));
    // Some files state another length than their tensors have.
    const gate = edit.tensor('blk.0.ffn_gate.weight');
    if (gate !== undefined) edit.set('lfm2.feed_forward_length', u32Entry(gate.shape[1] ?? 0));
  },
};

const qwen3next: DialectRow = {
  name: 'qwen3next',
  architectures: ['qwen3next'],
  applies: hasShortStepNames,
  editWeights(edit) {
    useLargest(edit, 'qwen3next.attention.head_count_kv', 0);
    lengthenStepNames(edit);
  },
};

export function hasShortStepNames(header: HeaderReader): boolean {
  return header.tensorNames().some((name) => name.endsWith('.ssm_dt'));
}

export function lengthenStepNames(edit: HeaderEdit): void {
  edit.replaceInNames([[/\.ssm_dt$/, '.ssm_dt.bias']]);
}

const laguna: DialectRow = {
  name: 'laguna',
  architectures: ['laguna'],
  applies: (header) =>
    header.has('laguna.rope.swa.dimension_count') ||
    header.has('laguna.rope.swa.freq_base') ||
    header.hasTensor('blk.0.attn_g.weight'),
  editWeights(edit) {
    edit.move('laguna.rope.swa.dimension_count', 'laguna.rope.dimension_count_swa');
    edit.move('laguna.rope.swa.freq_base', 'laguna.rope.freq_base_swa');
    edit.replaceInNames([[/\.attn_g\.weight$/, '.attn_gate.weight']]);
  },
};

const glm4MoeLite: DialectRow = {
  name: 'glm4moelite',
  architectures: ['glm4moelite'],
  /** The tensors are those of DeepSeek 2. llama.cpp counts the compressed heads as one, and names the lengths otherwise. */
  editWeights(edit) {
    const { source } = edit;
    edit.renameArchitecture('glm4moelite', 'deepseek2');
    edit.set('deepseek2.attention.head_count_kv', u32Entry(1));
    const rank = source.number('glm4moelite.attention.kv_lora_rank');
    const rotated = source.number('glm4moelite.rope.dimension_count');
    if (rank !== undefined && rotated !== undefined) {
      edit.set('deepseek2.attention.key_length', u32Entry(rank + rotated));
      edit.set('deepseek2.attention.value_length', u32Entry(rank));
    }
    const headLength = source.number('glm4moelite.attention.key_length');
    if (headLength !== undefined) {
      edit.set('deepseek2.attention.key_length_mla', u32Entry(headLength));
      edit.set('deepseek2.attention.value_length_mla', u32Entry(headLength));
    }
    edit.setDefaults({ 'deepseek2.expert_group_count': u32Entry(1), 'deepseek2.expert_group_used_count': u32Entry(1) });
    edit.set(preTokenizer, textEntry('glm4'));
    const [, turnEnd, messageEnd] = source.numbers('tokenizer.ggml.eos_token_ids') ?? [];
    if (turnEnd !== undefined) edit.setDefault('tokenizer.ggml.eot_token_id', u32Entry(turnEnd));
    if (messageEnd !== undefined) edit.setDefault('tokenizer.ggml.eom_token_id', u32Entry(messageEnd));
  },
};

const turnEndOfLlama3 = 128_009;
const textEndOfLlama3 = 128_001;

const llama3: DialectRow = {
  name: 'llama3',
  architectures: ['llama'],
  needsArrays: hasGapOfLlama3,
  applies(header) {
    if (!hasGapOfLlama3(header)) return false;
    const tokens = header.strings('tokenizer.ggml.tokens');
    return tokens[turnEndOfLlama3] === '<|eot_id|>' && tokens[128_006] === '<|start_header_id|>';
  },
  editWeights(edit) {
    const { source } = edit;
    if (lacksPreTokenizer(source)) edit.set(preTokenizer, textEntry('llama-bpe'));
    for (const key of ['tokenizer.ggml.eos_token_id', 'tokenizer.ggml.eot_token_id']) {
      const token = source.number(key);
      if (token === undefined || token === textEndOfLlama3) edit.set(key, u32Entry(turnEndOfLlama3));
    }
    edit.set('tokenizer.ggml.eos_token_ids', { type: 'i32s', value: [turnEndOfLlama3] });
  },
};

function hasGapOfLlama3(header: HeaderReader): boolean {
  return lacksPreTokenizer(header) || header.number('tokenizer.ggml.eos_token_id') === textEndOfLlama3;
}

export function lacksPreTokenizer(header: HeaderReader): boolean {
  return !header.has(preTokenizer) || ['', 'default'].includes(header.text(preTokenizer) ?? 'other');
}

const charactersKey = 'tokenizer.ggml.precompiled_charsmap';

const snowflake: DialectRow = {
  name: 'snowflake-arctic-embed2',
  architectures: ['bert'],
  needsArrays: (header) => header.text('tokenizer.ggml.model') === 't5',
  applies: (header) => header.text('tokenizer.ggml.model') === 't5' && header.hasStrings(charactersKey),
  /** Base64 with a string for each character. */
  editWeights: (edit) =>
    edit.make(charactersKey, (source) => {
      const characters = source.get(charactersKey);
      return { type: 'u8s', value: Buffer.from(Array.isArray(characters) ? characters.join('') : '', 'base64') };
    }),
};

const embeddingGemma: DialectRow = {
  name: 'embeddinggemma',
  architectures: ['gemma3'],
  applies: (header) => header.tensor('dense.0.weight') !== undefined,
  editWeights(edit) {
    edit.renameArchitecture('gemma3', 'gemma-embedding');
    edit.remove('gemma-embedding.attention.causal');
    edit.remove('gemma-embedding.attention.sliding_window_pattern');
    edit.setDefault('gemma-embedding.rope.freq_base_swa', f32Entry(10_000));
    for (const [from, to] of [
      ['dense.0.weight', 'dense_2'],
      ['dense.1.weight', 'dense_3'],
    ] as const) {
      const [input = 0, output = 0] = edit.tensor(from)?.shape ?? [];
      edit.set(`gemma-embedding.${to}_feat_in`, u32Entry(input));
      edit.set(`gemma-embedding.${to}_feat_out`, u32Entry(output));
      edit.rename(from, `${to}.weight`);
    }
    edit.rename('norm.weight', 'output_norm.weight');
  },
};

export const textRows: readonly DialectRow[] = [
  gptOss,
  olmo3,
  lfm2,
  qwen3next,
  laguna,
  glm4MoeLite,
  llama3,
  snowflake,
  embeddingGemma,
];
