// A small vocabulary of each kind that llama.cpp has. A character is a token in all of them.

import { flag, i32s, type Keys, text, tokenizer, u32 } from '../architectures/tiny-model.ts';
import { tokenizer as sentencePieces } from '../models/tiny-memories.ts';

const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
const space = '\u2581';
const [normal, unknown, control, byteType] = [1, 2, 3, 6] as const;

function tokens(model: string, controls: readonly string[], others: readonly string[]): Keys {
  const all = [...controls, ...others];
  return {
    'tokenizer.ggml.model': text(model),
    'tokenizer.ggml.tokens': { type: 'strings', value: all },
    'tokenizer.ggml.scores': { type: 'f32s', value: all.map((_, index) => -index) },
    'tokenizer.ggml.token_type': i32s(
      ...all.map((token, index) => (index >= controls.length ? normal : /unk/i.test(token) ? unknown : control)),
    ),
    'tokenizer.ggml.unknown_token_id': u32(
      Math.max(
        0,
        controls.findIndex((token) => /unk/i.test(token)),
      ),
    ),
  };
}

// Bytes that are no characters are escaped.
const bytes = Array.from({ length: 255 }, (_, index) => {
  const byte = index + 1;
  if (byte === 0x5c) return String.raw`\\`;
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
});

const bytePieces = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
const pieces = ['<|plamo:unk|>', '<|plamo:bos|>', '<|plamo:eos|>', '<|plamo:pad|>', ' ', ...printable];

export const vocabularies = {
  bpe: tokenizer,
  gemma4: { ...tokenizer, 'tokenizer.ggml.model': text('gemma4') },
  spm: sentencePieces,
  wpm: {
    ...tokens(
      'bert',
      ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'],
      printable.flatMap((character) => [`${space}${character}`, character]),
    ),
    'tokenizer.ggml.token_type_count': u32(2),
    'tokenizer.ggml.bos_token_id': u32(2),
    'tokenizer.ggml.eos_token_id': u32(3),
    'tokenizer.ggml.seperator_token_id': u32(3),
    'tokenizer.ggml.cls_token_id': u32(2),
    'tokenizer.ggml.padding_token_id': u32(0),
  },
  ugm: {
    ...tokens('t5', ['<pad>', '</s>', '<unk>'], [space, ...printable]),
    'tokenizer.ggml.token_type_count': u32(1),
    'tokenizer.ggml.bos_token_id': u32(0),
    'tokenizer.ggml.eos_token_id': u32(1),
    'tokenizer.ggml.padding_token_id': u32(0),
    'tokenizer.ggml.add_space_prefix': flag(false),
    'tokenizer.ggml.add_bos_token': flag(false),
    'tokenizer.ggml.add_eos_token': flag(true),
  },
  rwkv: {
    ...tokens('rwkv', ['<s>'], bytes),
    'tokenizer.ggml.bos_token_id': u32(0),
    'tokenizer.ggml.eos_token_id': u32(0),
  },
  plamo2: {
    ...tokens('plamo2', pieces.slice(0, 4), [...pieces.slice(4), ...bytePieces]),
    'tokenizer.ggml.token_type': i32s(
      ...pieces.map((_, index) => (index === 0 ? unknown : index < 4 ? control : normal)),
      ...bytePieces.map(() => byteType),
    ),
  },
  none: { 'tokenizer.ggml.model': text('no_vocab'), '.vocab_size': u32(128) },
} satisfies Record<string, Keys>;

export type VocabularyKind = keyof typeof vocabularies;
