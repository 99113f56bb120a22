// Small tokenizers of newer models: byte pairs of ModernBERT, Unigram of XLM-RoBERTa, and the pieces of Gemma 4.

import { bytePairFiles, type Files, sentencePieceFiles, wordPieceFiles } from './tokenizers.ts';

/** Tokens that the tokenizer of GLM names. */
export const publishedSpecials = ['[gMASK]', '<|endoftext|>', '<|end|>', '<|im_end|>', '<|user|>', '<|observation|>'];

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const frame = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
const text = (id: string) => ({ Sequence: { id, type_id: 0 } });

/** One token before a text, and one after it. */
function framed(first: string, last: string, ids: Readonly<Record<string, number>>) {
  const named = (id: string) => ({ id, ids: [ids[id]], tokens: [id] });
  return {
    type: 'TemplateProcessing',
    single: [frame(first), text('A'), frame(last)],
    pair: [frame(first), text('A'), frame(last), text('B'), frame(last)],
    special_tokens: { [first]: named(first), [last]: named(last) },
  };
}

const modernSpecials = ['[UNK]', '[CLS]', '[SEP]', '[PAD]', '[MASK]'] as const;

/** 256 bytes and 14 merges come before the special tokens. */
export function modernBertFiles(): Files {
  return bytePairFiles({
    pre: 'gpt-2',
    specials: modernSpecials,
    specialCount: modernSpecials.length,
    postProcessor: framed('[CLS]', '[SEP]', { '[CLS]': 271, '[SEP]': 272 }),
    settings: {
      bos_token: null,
      eos_token: null,
      chat_template: undefined,
      unk_token: '[UNK]',
      cls_token: '[CLS]',
      sep_token: '[SEP]',
      pad_token: '[PAD]',
      mask_token: '[MASK]',
    },
  });
}

const words = '▁ e t a o n h l w r d s . , ▁the ▁a ll he or ld ing ▁hello ▁world ▁wo s▁'.split(' ');
const unigramSpecials = ['<s>', '<pad>', '</s>', '<unk>'];
const mask = '<mask>';

/** A table of replaced characters without entries: the bytes of a trie, the trie, and one empty text. */
const emptyCharacterMap = Buffer.concat([Buffer.from([0, 4, 0, 0]), Buffer.alloc(1024), Buffer.from([0])]);

export function unigramFiles(): Files {
  const vocabulary = [...unigramSpecials, ...words, mask];
  const added = [...unigramSpecials, mask].map((content) => ({
    id: vocabulary.indexOf(content),
    content,
    single_word: false,
    lstrip: content === mask,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    'tokenizer.json': json({
      version: '1.0',
      added_tokens: added,
      normalizer: { type: 'Precompiled', precompiled_charsmap: emptyCharacterMap.toString('base64') },
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
      post_processor: framed('<s>', '</s>', { '<s>': 0, '</s>': 2 }),
      decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
      model: {
        type: 'Unigram',
        unk_id: 3,
        // Never integers, which llama.cpp's converter would not put into one list with other numbers.
        vocab: vocabulary.map((piece, id) => [piece, -(id + 0.5) / 8]),
        byte_fallback: false,
      },
    }),
    'tokenizer_config.json': json({
      tokenizer_class: 'XLMRobertaTokenizer',
      add_prefix_space: true,
      clean_up_tokenization_spaces: true,
      bos_token: '<s>',
      eos_token: '</s>',
      sep_token: '</s>',
      cls_token: '<s>',
      unk_token: '<unk>',
      pad_token: '<pad>',
      mask_token: { content: mask, lstrip: true, special: true, __type: 'AddedToken' },
    }),
  };
}

/** The tokenizer of Jina 2 for code: byte pairs with the special tokens of RoBERTa. */
export function jinaCodeFiles(): Files {
  const specials = [...unigramSpecials, mask];
  const ends = { bos_token: '<s>', cls_token: '<s>', eos_token: '</s>', sep_token: '</s>' };
  return bytePairFiles({
    pre: 'gpt-2',
    specials,
    specialCount: specials.length,
    tokenizerClass: 'RobertaTokenizer',
    postProcessor: {
      type: 'RobertaProcessing',
      sep: ['</s>', 272],
      cls: ['<s>', 270],
      trim_offsets: true,
      add_prefix_space: false,
    },
    settings: { ...ends, pad_token: '<pad>', unk_token: '<unk>', mask_token: mask, chat_template: undefined },
  });
}

const gemma4Specials = ['<pad>', '<eos>', '<bos>', '<unk>'];
const gemma4Merges = ['h e', 'l l', 'he ll', 'hell o', '▁ w', 'o r', 'or l'];
/** Turns, and a token that the model shows. */
const gemma4Added = ['<|turn>', '<turn|>', '<|channel>', '<channel|>', '<extra>'];

/** 280 tokens. */
export function gemma4Files(): Files {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const merged = gemma4Merges.map((merge) => merge.replace(' ', ''));
  const vocabulary = [...gemma4Specials, ...bytes, ...'▁helowrd', ...merged];
  const entries = [
    ...gemma4Specials.entries(),
    ...gemma4Added.map((token, id) => [vocabulary.length + id, token] as const),
  ];
  return {
    'tokenizer.json': json({
      version: '1.0',
      added_tokens: entries.map(([id, content]) => ({
        id,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: content !== '<extra>',
      })),
      normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
      post_processor: {
        type: 'TemplateProcessing',
        single: [frame('<bos>'), text('A')],
        pair: [frame('<bos>'), text('A'), text('B')],
        special_tokens: { '<bos>': { id: '<bos>', ids: [2], tokens: ['<bos>'] } },
      },
      decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }] },
      model: {
        type: 'BPE',
        unk_token: '<unk>',
        fuse_unk: true,
        byte_fallback: true,
        ignore_merges: false,
        vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
        merges: gemma4Merges.map((merge) => merge.split(' ')),
      },
    }),
    'tokenizer_config.json': json({
      tokenizer_class: 'PreTrainedTokenizerFast',
      bos_token: '<bos>',
      eos_token: '<eos>',
      unk_token: '<unk>',
      pad_token: '<pad>',
      sot_token: '<|turn>',
    }),
  };
}

export const referenceTokenizers: Readonly<Record<string, () => Files>> = {
  'byte-pairs': () => bytePairFiles({ pre: 'qwen2', specials: publishedSpecials }),
  phi: () => bytePairFiles({ pre: 'dbrx', tokenizerClass: 'GPT2Tokenizer', specials: publishedSpecials }),
  'qwen-embedding': () => bytePairFiles({ pre: 'qwen2', specials: publishedSpecials, postProcessor: endTemplate }),
  'qwen-reranker': () => bytePairFiles({ pre: 'qwen2', extraMerges: ['y e', 'ye s', 'n o'] }),
  'gemma-4': gemma4Files,
  'modern-bert': modernBertFiles,
  'sentence-pieces': () => sentencePieceFiles({ tokenizer_class: 'GemmaTokenizer' }),
  unigram: unigramFiles,
  'word-pieces': wordPieceFiles,
};

/** A text ends with the token that the model pools. */
const endTemplate = {
  type: 'TemplateProcessing',
  single: [text('A'), frame('<|endoftext|>')],
  pair: [text('A'), text('B'), frame('<|endoftext|>')],
  special_tokens: { '<|endoftext|>': { id: '<|endoftext|>', ids: [271], tokens: ['<|endoftext|>'] } },
};
