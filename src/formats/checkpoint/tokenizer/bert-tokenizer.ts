// The tokenizers of encoders: WordPiece for BERT, byte pairs for RoBERTa.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { unusable } from '../files/checkpoint-error.ts';
import { readTokens, writeBytePair } from './byte-pair.ts';
import { tokenTypes, writeSpecialTokens } from './special-tokens.ts';
import { readTokenizerFiles } from './tokenizer-files.ts';

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
