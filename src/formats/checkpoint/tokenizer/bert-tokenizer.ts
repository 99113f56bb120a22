// The tokenizers of encoders: WordPiece for BERT, byte pairs for RoBERTa and ModernBERT.

import { asObject } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { readTokens, writeBytePair } from './byte-pair.ts';
import { preTokenizerOf } from './pre-tokenizer.ts';
import { tokenTypes, writeSpecialTokens } from './special-tokens.ts';
import { readTokenizerFiles } from './tokenizer-files.ts';
import { isUnigram, writeUnigramTokenizer } from './unigram.ts';

// Not used by llama.cpp for WordPiece. Its converter writes this name for the vocabulary of bert-base-uncased.
const wordPieceName = 'jina-v2-en';
const typeCount = 'tokenizer.ggml.token_type_count';

export async function writeBertTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const { folder, parameters, config } = checkpoint;
  const files = await readTokenizerFiles(folder);
  if (files.model['type'] !== 'WordPiece') throw unusable('it has no tokenizer.json with WordPiece');
  const { tokens, types } = readTokens(files, parameters.integer('vocab_size'));
  metadata.u32(typeCount, parameters.integer('type_vocab_size') ?? 1);
  metadata.string('tokenizer.ggml.model', 'bert');
  metadata.string('tokenizer.ggml.pre', wordPieceName);
  metadata.strings(
    'tokenizer.ggml.tokens',
    tokens.map((token, id) => (types[id] === tokenTypes.control ? token : markStart(token))),
  );
  metadata.i32s('tokenizer.ggml.token_type', types);
  writeSpecialTokens(metadata, files, { config, vocabularySize: tokens.length });
}

/** WordPiece marks the parts that continue a word, llama.cpp those that start one. */
function markStart(token: string): string {
  return token.startsWith('##') ? token.slice(2) : `▁${token}`;
}

export async function writeRobertaTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  writeBytePair(checkpoint, metadata, await readTokenizerFiles(checkpoint.folder), { pre: 'roberta-bpe' });
  metadata.u32(typeCount, checkpoint.parameters.integer('type_vocab_size') ?? 1);
}

/** WordPiece or Unigram, as the files say. */
export async function writeEncoderTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const write = isUnigram(await readTokenizerFiles(checkpoint.folder)) ? writeUnigramTokenizer : writeBertTokenizer;
  await write(checkpoint, metadata);
}

export async function writeModernBertTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  for (const kind of ['bos', 'eos', 'sep']) metadata.bool(`tokenizer.ggml.add_${kind}_token`, true);
  const files = await readTokenizerFiles(checkpoint.folder);
  const own = preTokenizerOf(files);
  writeBytePair(checkpoint, metadata, files, { pre: own === 'gpt-2' ? 'modern-bert' : own });
}

/** WordPiece for English, byte pairs for other languages; Chinese texts are only split at spaces before the merges. */
export async function writeJinaTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const files = await readTokenizerFiles(checkpoint.folder);
  if (files.model['type'] === 'WordPiece') {
    await writeBertTokenizer(checkpoint, metadata);
    return;
  }
  const isPlain = asObject(files.json?.['pre_tokenizer'])['type'] === 'Whitespace';
  const own = isPlain ? 'whitespace' : preTokenizerOf(files);
  writeBytePair(checkpoint, metadata, files, {
    pre: own === 'gpt-2' ? 'jina-v2-de' : own,
    name: isPlain ? 'whitespace' : 'gpt2',
  });
  metadata.u32(typeCount, 2);
}
