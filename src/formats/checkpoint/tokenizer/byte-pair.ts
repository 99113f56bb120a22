// Byte pair encoding over bytes, as in GPT-2, and the vocabulary that it shares with WordPiece.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { asString } from '../files/json-object.ts';
import { preTokenizerOf } from './pre-tokenizer.ts';
import { looksSpecial, type TokenType, tokenTypes, withSpaces, writeSpecialTokens } from './special-tokens.ts';
import { declaredTokens, readVocabulary, specialToken, type TokenizerFiles } from './tokenizer-files.ts';

interface Vocabulary {
  readonly tokens: string[];
  readonly types: TokenType[];
}

interface BytePairOptions {
  /** The name of the pre-tokenizer, if the family knows better. */
  readonly pre?: string;
  /** llama.cpp's name of the tokenizer. */
  readonly name?: 'gpt2' | 'whitespace';
  /** Special tokens by kind, where no file names them. */
  readonly fallbacks?: Readonly<Record<string, string>>;
}

export function writeBytePair(
  { config, parameters }: Checkpoint,
  metadata: Metadata,
  files: TokenizerFiles,
  { pre = preTokenizerOf(files), name = 'gpt2', fallbacks }: BytePairOptions = {},
): void {
  if (files.model['type'] !== 'BPE') throw unusable('tokenizer.json has no byte pair encoding');
  const { tokens, types } = readTokens(files, parameters.integer('vocab_size'));
  metadata.string('tokenizer.ggml.model', name);
  metadata.string('tokenizer.ggml.pre', pre);
  metadata.strings('tokenizer.ggml.tokens', tokens);
  metadata.i32s('tokenizer.ggml.token_type', types);
  metadata.strings('tokenizer.ggml.merges', mergesOf(files));
  writeSpecialTokens(metadata, files, { config, vocabularySize: Number.POSITIVE_INFINITY, fallbacks });
}

/** Tokens by id, filled up to the number of rows that the model has. */
export function readTokens(files: TokenizerFiles, size: number | undefined): Vocabulary {
  const vocabulary = readVocabulary(files);
  const special = specialFlags(files, vocabulary);
  for (const { id, content } of files.added) vocabulary.set(id, content);
  const largest = [...vocabulary.keys()].reduce((a, b) => Math.max(a, b), 0);
  const count = size ?? largest + 1;
  if (count > checkpointLimits.tokens)
    throw unusable(`it has ${count} tokens; the limit is ${checkpointLimits.tokens}`);
  if (largest >= count) throw unusable(`tokenizer.json has the token ${largest}, but vocab_size is ${count}`);
  const entries = Array.from({ length: count }, (_, id) => toEntry(id, vocabulary.get(id), special.get(id)));
  return { tokens: entries.map(([token]) => token), types: entries.map(([, type]) => type) };
}

/** `isSpecial` is undefined for tokens that were not added. */
function toEntry(id: number, token: string | undefined, isSpecial: boolean | undefined): [string, TokenType] {
  if (token === undefined) return [`[PAD${id}]`, tokenTypes.unused];
  if (isSpecial === undefined) return [token, tokenTypes.normal];
  return isSpecial || looksSpecial(token) ? [token, tokenTypes.control] : [withSpaces(token), tokenTypes.userDefined];
}

const specialNames = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

/** Whether an added token is special, by id. transformers also adds the special tokens of tokenizer_config.json. */
function specialFlags(files: TokenizerFiles, vocabulary: ReadonlyMap<number, string>): Map<number, boolean> {
  const flags = new Map(files.added.map(({ id, special }) => [id, special]));
  for (const { id, content, special } of declaredTokens(files))
    if (flags.has(id) || vocabulary.get(id) === content) flags.set(id, special || flags.get(id) === true);
  const named = new Set(specialNames.map((name) => specialToken(files.settings, name)));
  for (const { id, content } of files.added) if (named.has(content)) flags.set(id, true);
  for (const [id, token] of vocabulary) if (named.has(token)) flags.set(id, true);
  return flags;
}

/** Pairs as text. A space inside a token is written like in the byte alphabet of GPT-2. */
export function mergesOf({ model }: TokenizerFiles): string[] {
  const merges = model['merges'];
  if (!Array.isArray(merges) || merges.length === 0) throw unusable('tokenizer.json has no merges');
  return merges.map((merge: unknown) => {
    const text = asString(merge);
    if (text !== undefined) return text;
    const [left, right] = Array.isArray(merge) ? merge.map(asString) : [];
    if (left === undefined || right === undefined) throw unusable('a merge of tokenizer.json is not valid');
    return `${left.replaceAll(' ', 'Ġ')} ${right.replaceAll(' ', 'Ġ')}`;
  });
}
