// The tokenizer of Gemma 4: pieces of SentencePiece that are merged like byte pairs.

import { asObject } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { asString } from '../files/json-object.ts';
import { mergesOf } from './byte-pair.ts';
import { byteToken, isSentencePiece } from './sentencepiece.ts';
import { tokenTypes, writeSpecialTokens } from './special-tokens.ts';
import { readTokenizerFiles, readVocabulary, type TokenizerFiles } from './tokenizer-files.ts';

/** Part of what the model answers: the parser of answers reads them. */
const visible = new Set(
  '<|channel> <channel|> <|tool_call> <tool_call|> <|tool_response> <tool_response|> <|"|>'.split(' '),
);
// llama.cpp merges by the order of merges; scores are only expected to be there.
const score = -1000;

export async function writeGemma4Tokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const { folder, parameters, config } = checkpoint;
  const files = await readTokenizerFiles(folder);
  if (!isSentencePiece(files)) throw unusable('it has no tokenizer.json with pieces and merges');
  const tokens = tokensOf(files, parameters.integer('vocab_size'));
  metadata.string('tokenizer.ggml.model', 'gemma4');
  metadata.strings('tokenizer.ggml.tokens', tokens);
  metadata.f32s('tokenizer.ggml.scores', new Float32Array(tokens.length).fill(score));
  metadata.i32s('tokenizer.ggml.token_type', typesOf(tokens, files));
  metadata.strings('tokenizer.ggml.merges', mergesOf(files));
  writeSpecialTokens(metadata, files, { config, vocabularySize: Number.POSITIVE_INFINITY });
  metadata.bool('tokenizer.ggml.add_space_prefix', false);
  metadata.bool('tokenizer.ggml.add_bos_token', true);
}

/** As written in the files, filled up to the number of rows that the model has. */
function tokensOf(files: TokenizerFiles, size: number | undefined): string[] {
  const vocabulary = readVocabulary(files);
  for (const { id, content } of files.added) vocabulary.set(id, content);
  const needed = [...vocabulary.keys()].reduce((largest, id) => Math.max(largest, id + 1), 0);
  const count = size ?? needed;
  if (count > checkpointLimits.tokens)
    throw unusable(`it has ${count} tokens; the limit is ${checkpointLimits.tokens}`);
  if (needed > count) throw unusable(`tokenizer.json has ${needed} tokens, but vocab_size is ${count}`);
  return Array.from({ length: count }, (_, id) => vocabulary.get(id) ?? `[PAD${id}]`);
}

function typesOf(tokens: readonly string[], files: TokenizerFiles): number[] {
  const base = readVocabulary(files);
  const added = new Set(files.added.map(({ id }) => id));
  const named = namedTokens(files);
  return tokens.map((token, id) => {
    if (visible.has(token)) return tokenTypes.userDefined;
    if (!base.has(id) && !added.has(id)) return tokenTypes.unused;
    if (byteToken.test(token)) return tokenTypes.byte;
    if (named.has(token)) return tokenTypes.control;
    return base.has(id) ? tokenTypes.normal : tokenTypes.userDefined;
  });
}

/** Special are the tokens that tokenizer_config.json names, in a key of their own or in a list. */
function namedTokens({ settings }: TokenizerFiles): Set<string> {
  const single = Object.entries(settings).flatMap(([key, value]) => (key.endsWith('_token') ? [value] : []));
  const lists = [settings['extra_special_tokens'], settings['additional_special_tokens']].map((list) =>
    Array.isArray(list) ? list : Object.values(asObject(list)),
  );
  const texts = [...single, ...lists.flat()].map(
    (value: unknown) => asString(value) ?? asString(asObject(value)['content']),
  );
  return new Set(texts.filter((text) => text !== undefined));
}
