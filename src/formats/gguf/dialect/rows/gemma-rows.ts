// Gemma 3, 3n and 4, whose files have an image encoder, and an audio encoder, next to the language model.

import type { GgufEntry } from '../../encode-entry.ts';
import type { GgufMetadata } from '../../metadata.ts';
import {
  commonVisionKeys,
  copyClipKeys,
  type DialectRow,
  describeClip,
  f32Entry,
  flagEntry,
  floatsEntry,
  textEntry,
  u32Entry,
  vision,
} from '../dialect-row.ts';
import type { HeaderEdit } from '../header-edit.ts';

const tokens = 'tokenizer.ggml.tokens';
const scores = 'tokenizer.ggml.scores';
const tokenTypes = 'tokenizer.ggml.token_type';

/** Ollama leaves tokens of images in the vocabulary that the embeddings do not have. */
function cutVocabulary(edit: HeaderEdit, size: number, typeOf = (_token: string, type: number): number => type): void {
  const list = (source: GgufMetadata, key: string): readonly unknown[] => {
    const values = source.get(key);
    return Array.isArray(values) ? values.slice(0, size) : [];
  };
  const cut = (key: string, make: (source: GgufMetadata) => GgufEntry): void => {
    if (edit.has(key)) edit.make(key, make);
  };
  cut(tokens, (source) => ({ type: 'strings', value: list(source, tokens).map(String) }));
  cut(scores, (source) => ({ type: 'f32s', value: list(source, scores).map(Number) }));
  cut(tokenTypes, (source) => {
    const names = list(source, tokens).map(String);
    return {
      type: 'i32s',
      value: list(source, tokenTypes).map((type, index) => typeOf(names[index] ?? '', Number(type))),
    };
  });
}

// The files have no template. The format is the one that Google documents.
const gemma3Template =
  "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set first = messages[0]['content'] + '\\n\\n' %}" +
  "{% set turns = messages[1:] %}{% else %}{% set first = '' %}{% set turns = messages %}{% endif %}" +
  "{% for message in turns %}{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}" +
  "{{ '<start_of_turn>' + role + '\\n' }}{% if loop.first %}{{ first }}{% endif %}" +
  "{{ message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}";

const longContext = 131_072;
// Only files of Ollama have these keys. Different versions wrote different ones.
const signs = [
  'gemma3.mm.tokens_per_image',
  'gemma3.rope.global.freq_base',
  'gemma3.rope.local.freq_base',
  'tokenizer.ggml.add_padding_token',
  'tokenizer.ggml.add_unknown_token',
];

const gemma3: DialectRow = {
  name: 'gemma3',
  architectures: ['gemma3'],
  applies: (header) =>
    header.hasTensor(...vision) ||
    signs.some((key) => header.has(key)) ||
    !header.has('gemma3.attention.layer_norm_rms_epsilon'),
  others: vision,
  editWeights(edit) {
    edit.move('gemma3.rope.global.freq_base', 'gemma3.rope.freq_base');
    edit.move('gemma3.rope.local.freq_base', 'gemma3.rope.freq_base_swa');
    for (const key of signs) edit.remove(key);
    edit.setDefaults({
      'gemma3.attention.layer_norm_rms_epsilon': f32Entry(1e-6),
      'gemma3.rope.freq_base': f32Entry(1_000_000),
      'gemma3.rope.freq_base_swa': f32Entry(10_000),
      'tokenizer.chat_template': textEntry(gemma3Template),
    });
    // The models with a long context were trained with a shorter one.
    if ((edit.source.number('gemma3.context_length') ?? 0) >= longContext)
      edit.setDefaults({ 'gemma3.rope.scaling.type': textEntry('linear'), 'gemma3.rope.scaling.factor': f32Entry(8) });
    const rows = edit.tensor('token_embd.weight')?.shape[1];
    if (rows !== undefined) cutVocabulary(edit, rows);
  },
  projector: {
    tensors: vision,
    edit(edit) {
      copyClipKeys(edit, commonVisionKeys);
      describeClip(edit, { type: 'gemma3' });
      edit.replaceInNames([
        ['v.patch_embedding', 'v.patch_embd'],
        ['v.position_embedding', 'v.position_embd'],
        ['v.post_layernorm', 'v.post_ln'],
        ['.layer_norm1', '.ln1'],
        ['.layer_norm2', '.ln2'],
        ['.attn_output', '.attn_out'],
        // llama.cpp has these two the other way round for this projector.
        ['.mlp.fc1', '.ffn_down'],
        ['.mlp.fc2', '.ffn_up'],
        ['mm.mm_input_projection', 'mm.input_projection'],
        ['mm.mm_soft_emb_norm', 'mm.soft_emb_norm'],
      ]);
      edit.toF32('v.patch_embd.weight');
      edit.toF32('v.position_embd.weight');
    },
  },
};

const [normalToken, byteToken] = [1, 6] as const;
// The end of a turn.
const turnEndOfGemma = 106;

function typeInGemma3n(token: string, type: number): number {
  if (/^<0x..>$/.test(token)) return byteToken;
  return token.startsWith('<unused') ? normalToken : type;
}

const gemma3n: DialectRow = {
  name: 'gemma3n',
  architectures: ['gemma3n'],
  applies(header) {
    const main = header.tensor('token_embd.weight');
    const perLayer = header.tensor('per_layer_token_embd.weight');
    return main !== undefined && perLayer !== undefined && main.shape[1] !== perLayer.shape[1];
  },
  others: ['a.', 'v.', 'mm.'],
  editWeights(edit) {
    const size = edit.tensor('per_layer_token_embd.weight')?.shape[1] ?? 0;
    edit.set('tokenizer.ggml.model', textEntry('llama'));
    cutRows(edit, 'token_embd.weight', size);
    cutVocabulary(edit, size, typeInGemma3n);
    const ends = edit.source.numbers('tokenizer.ggml.eos_token_ids') ?? [1];
    edit.set('tokenizer.ggml.eos_token_ids', { type: 'i32s', value: [...new Set([...ends, turnEndOfGemma])] });
  },
};

function cutRows(edit: HeaderEdit, name: string, rows: number): void {
  const tensor = edit.tensor(name);
  const [span] = tensor?.data.spans ?? [];
  const [width = 0, all = 0] = tensor?.shape ?? [];
  if (span === undefined || rows >= all) return;
  const data = { spans: [{ offset: span.offset, bytes: (span.bytes / all) * rows }] };
  edit.replace(name, { shape: [width, rows], data });
}

const gemma4Others = ['a.', 'v.', 'mm.', 'model.vision_tower.'] as const;

const gemma4: DialectRow = {
  name: 'gemma4',
  architectures: ['gemma4'],
  applies: (header) => header.hasTensor(...gemma4Others) || header.text('tokenizer.ggml.model') === 'llama',
  others: gemma4Others,
  editWeights(edit) {
    // The vocabulary has merges. The other kind of tokenizer splits the tags of turns and channels.
    if (edit.source.text('tokenizer.ggml.model') === 'llama') edit.set('tokenizer.ggml.model', textEntry('gemma4'));
    edit.replaceInNames([[/\.ffn_gate_inp\.per_expert_scale$/, '.ffn_down_exps.scale']]);
  },
  projector: {
    tensors: ['v.', 'mm.', 'a.'],
    exists: (header) => header.hasTensor('v.', 'a.'),
    edit(edit) {
      if (edit.source.hasTensor('v.')) editGemma4Vision(edit);
      if (edit.source.hasTensor('a.')) editGemma4Audio(edit);
    },
  },
};

function editGemma4Vision(edit: HeaderEdit): void {
  copyClipKeys(edit, commonVisionKeys);
  edit.setDefaults({
    'clip.vision.image_size': u32Entry(224),
    // The model normalizes images itself.
    'clip.vision.image_mean': floatsEntry(0, 0, 0),
    'clip.vision.image_std': floatsEntry(1, 1, 1),
    'clip.has_vision_encoder': flagEntry(true),
    'clip.vision.projector_type': textEntry('gemma4v'),
  });
  edit.toF32('v.patch_embd.weight');
}

function editGemma4Audio(edit: HeaderEdit): void {
  copyClipKeys(edit, {
    'audio.block_count': 'audio.block_count',
    'audio.embedding_length': 'audio.embedding_length',
    'audio.feed_forward_length': 'audio.feed_forward_length',
    'audio.attention.head_count': 'audio.attention.head_count',
    'audio.attention.layer_norm_epsilon': 'audio.attention.layer_norm_epsilon',
    'audio.projection_dim': 'embedding_length',
  });
  edit.setDefaults({
    'clip.audio.num_mel_bins': u32Entry(128),
    'clip.has_audio_encoder': flagEntry(true),
    'clip.audio.projector_type': textEntry('gemma4a'),
  });
  edit.rename('a.pre_encode.out.weight', 'a.input_projection.weight');
  edit.rename('mm.a.fc.weight', 'a.pre_encode.out.weight');
  edit.rename('mm.a.fc.bias', 'a.pre_encode.out.bias');
  edit.replaceInNames([
    [/^(a\.blk\.\d+\.)ln1\.weight$/, '$1attn_pre_norm.weight'],
    [/^(a\.blk\.\d+\.)ln2\.weight$/, '$1attn_post_norm.weight'],
    [/^(a\.blk\.\d+\.)layer_pre_norm\.weight$/, '$1ln2.weight'],
    [/^(a\.blk\.\d+\.)linear_pos\.weight$/, '$1attn_k_rel.weight'],
  ]);
}

export const gemmaRows: readonly DialectRow[] = [gemma3, gemma3n, gemma4];
