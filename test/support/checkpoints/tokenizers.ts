// Small tokenizers in the formats of Hugging Face and SentencePiece.

export type Files = Readonly<Record<string, Buffer>>;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const letters = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const spaces = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const words = (digits: string): string =>
  `${letters}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`;
const tekkenWords =
  '[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const deepseekWords = `[!"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_\`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|${spaces}`;

const byteLevel = (useRegex: boolean) => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});
const splitThenBytes = (regex: string) => ({
  type: 'Sequence',
  pretokenizers: [{ type: 'Split', pattern: { Regex: regex }, behavior: 'Isolated', invert: false }, byteLevel(false)],
});

/** As published in the tokenizer.json of each model. */
export const preTokenizers = {
  'gpt-2': byteLevel(true),
  smollm: { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, byteLevel(true)] },
  'llama-bpe': splitThenBytes(words('\\p{N}{1,3}')),
  dbrx: splitThenBytes(words('\\p{N}{1,3}')),
  qwen2: splitThenBytes(words('\\p{N}')),
  tekken: splitThenBytes(tekkenWords),
  'deepseek-v3': {
    type: 'Sequence',
    pretokenizers: [
      ...['\\p{N}{1,3}', '[一-龥\u3040-ゟ゠-ヿ]+', deepseekWords].map((Regex) => ({
        type: 'Split',
        pattern: { Regex },
        behavior: 'Isolated',
        invert: false,
      })),
      byteLevel(false),
    ],
  },
} as const;

export type PreTokenizer = keyof typeof preTokenizers;

/** The characters that stand for the 256 bytes in byte-level vocabularies. */
const byteAlphabet: readonly string[] = (() => {
  const isPrinted = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrinted(byte) ? byte : 256 + others++));
})();

const merges = [
  'h e',
  'l l',
  'he ll',
  'hell o',
  'Ġ w',
  'o r',
  'Ġw or',
  'l d',
  'Ġwor ld',
  'i n',
  't h',
  'th e',
  '1 2',
  '12 3',
];

export interface BytePairOptions {
  readonly pre: PreTokenizer;
  /** Pairs of strings instead of texts, as in newer files. */
  readonly mergePairs?: boolean;
  readonly tokenizerClass?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly postProcessor?: unknown;
  readonly specials?: readonly string[];
  /** So many of them are marked as special. */
  readonly specialCount?: number;
  readonly extraMerges?: readonly string[];
}

export const bytePairSpecials = ['<|endoftext|>', '<|end|>', '<|im_end|>', '<tool▁call>'] as const;
/** Bytes, merged tokens and special tokens. */
export const bytePairSize = 256 + merges.length + bytePairSpecials.length;

export function bytePairFiles({
  pre,
  mergePairs = false,
  specials = bytePairSpecials,
  specialCount = 3,
  extraMerges = [],
  ...options
}: BytePairOptions): Files {
  const pairs = [...merges, ...extraMerges];
  const tokens = [...byteAlphabet, ...pairs.map((merge) => merge.replace(' ', ''))];
  const added = specials.map((content, index) => addedToken(tokens.length + index, content, index < specialCount));
  return {
    'tokenizer.json': json({
      version: '1.0',
      added_tokens: added,
      normalizer: null,
      pre_tokenizer: preTokenizers[pre],
      post_processor: options.postProcessor ?? null,
      decoder: byteLevel(true),
      model: {
        type: 'BPE',
        unk_token: null,
        byte_fallback: false,
        ignore_merges: pre === 'llama-bpe',
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: mergePairs ? pairs.map((merge) => merge.split(' ')) : pairs,
      },
    }),
    'tokenizer_config.json': json({
      tokenizer_class: options.tokenizerClass ?? 'PreTrainedTokenizerFast',
      bos_token: '<|endoftext|>',
      eos_token: '<|end|>',
      chat_template: '{% for message in messages %}{{ message.content }}{% endfor %}',
      added_tokens_decoder: Object.fromEntries(added.map(({ id, ...token }) => [id, token])),
      ...options.settings,
    }),
  };
}

/** What a tokenizer adds before a text. */
export const beginTemplate = {
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: '<|endoftext|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [
    { SpecialToken: { id: '<|endoftext|>', type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: '<|endoftext|>', type_id: 1 } },
    { Sequence: { id: 'B', type_id: 1 } },
  ],
  special_tokens: { '<|endoftext|>': { id: '<|endoftext|>', ids: [256 + merges.length], tokens: ['<|endoftext|>'] } },
} as const;

function addedToken(id: number, content: string, special: boolean) {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
}

const pieceKinds = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 } as const;
const spmWords = [
  '▁',
  't',
  'h',
  'e',
  'l',
  'o',
  'w',
  'r',
  'd',
  'a',
  'n',
  'th',
  'the',
  '▁the',
  'll',
  'he',
  'hell',
  'hello',
  '▁w',
  'or',
  'ld',
  'wor',
  'world',
  '▁world',
];

/** Special pieces, 256 bytes, words. */
const pieces: readonly { readonly text: string; readonly score: number; readonly kind: number }[] = [
  { text: '<unk>', score: 0, kind: pieceKinds.unknown },
  { text: '<s>', score: 0, kind: pieceKinds.control },
  { text: '</s>', score: 0, kind: pieceKinds.control },
  { text: '<mask>', score: 0, kind: pieceKinds.userDefined },
  ...Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    score: 0,
    kind: pieceKinds.byte,
  })),
  ...spmWords.map((text, index) => ({ text, score: -index / 3, kind: pieceKinds.normal })),
];

export const sentencePieceSize = pieces.length;

/** tokenizer.model and the settings next to it. Three added tokens follow the pieces. */
export function sentencePieceFiles(settings: Readonly<Record<string, unknown>> = {}): Files {
  return {
    'tokenizer.model': encodeSentencePieces(),
    'tokenizer_config.json': json({
      tokenizer_class: 'LlamaTokenizer',
      bos_token: { content: '<s>' },
      eos_token: '</s>',
      unk_token: '<unk>',
      add_bos_token: true,
      add_eos_token: false,
      added_tokens_decoder: {
        0: addedToken(0, '<unk>', true),
        1: addedToken(1, '<s>', true),
        2: addedToken(2, '</s>', true),
        [pieces.length]: addedToken(pieces.length, '<|im_start|>', false),
        [pieces.length + 1]: addedToken(pieces.length + 1, '▁tool', false),
        [pieces.length + 2]: addedToken(pieces.length + 2, '<|endoftext|>', true),
      },
      ...settings,
    }),
  };
}

/** The model as a protocol buffer; see the reader for the fields. */
export function encodeSentencePieces(): Buffer {
  const encoded = pieces.map(({ text, score, kind }) => {
    const scoreBytes = Buffer.alloc(4);
    scoreBytes.writeFloatLE(score);
    return message(
      1,
      Buffer.concat([message(1, Buffer.from(text)), Buffer.from([0x15]), scoreBytes, Buffer.from([0x18, kind])]),
    );
  });
  // Byte pair encoding with bytes for unknown characters.
  const trainer = message(2, Buffer.concat([Buffer.from([0x18, 2]), varint(35 * 8), Buffer.from([1])]));
  return Buffer.concat([...encoded, trainer]);
}

function message(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) | 0x80 : rest);
    if (rest < 128) return Buffer.from(bytes);
  }
}

const wordPieces = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  '[MASK]',
  'the',
  'hello',
  'world',
  '##s',
  '##ing',
  'a',
  'b',
  'c',
  '!',
  '.',
];
export const wordPieceSize = wordPieces.length;

export function wordPieceFiles(): Files {
  const frame = (token: string, type: number) => ({ SpecialToken: { id: token, type_id: type } });
  const text = (id: string, type: number) => ({ Sequence: { id, type_id: type } });
  const named = (token: string) => ({ id: token, ids: [wordPieces.indexOf(token)], tokens: [token] });
  return {
    'tokenizer.json': json({
      version: '1.0',
      // Ignored: models state the length elsewhere.
      truncation: { max_length: 8, strategy: 'LongestFirst', stride: 0, direction: 'Right' },
      added_tokens: wordPieces.slice(0, 5).map((token, id) => addedToken(id, token, true)),
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [frame('[CLS]', 0), text('A', 0), frame('[SEP]', 0)],
        pair: [frame('[CLS]', 0), text('A', 0), frame('[SEP]', 0), text('B', 1), frame('[SEP]', 1)],
        special_tokens: { '[CLS]': named('[CLS]'), '[SEP]': named('[SEP]') },
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(wordPieces.map((token, id) => [token, id])),
      },
    }),
    'tokenizer_config.json': json({
      tokenizer_class: 'BertTokenizer',
      do_lower_case: true,
      cls_token: '[CLS]',
      sep_token: '[SEP]',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      mask_token: '[MASK]',
    }),
  };
}

/** A tokenizer of RoBERTa: byte pairs with special tokens on both sides. */
export function robertaFiles(): Files {
  return bytePairFiles({
    pre: 'gpt-2',
    tokenizerClass: 'PreTrainedTokenizerFast',
    settings: { cls_token: '<|endoftext|>', sep_token: '<|end|>' },
    postProcessor: {
      type: 'RobertaProcessing',
      sep: ['<|end|>', 256 + merges.length + 1],
      cls: ['<|endoftext|>', 256 + merges.length],
      trim_offsets: true,
      add_prefix_space: false,
    },
  });
}
