// The tokenizers of decoders, which differ in the files that they prefer.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { writeBytePair } from './byte-pair.ts';
import { isSentencePiece, type SentencePieceOptions, writeSentencePiece } from './sentencepiece.ts';
import { readTokenizerFiles, type TokenizerFiles } from './tokenizer-files.ts';

const keys = {
  addSpace: 'tokenizer.ggml.add_space_prefix',
  addBos: 'tokenizer.ggml.add_bos_token',
  endOfTurn: 'tokenizer.ggml.eot_token_id',
} as const;

export async function writeLlamaTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const files = await readTokenizerFiles(checkpoint.folder);
  const addSpace = files.settings['add_prefix_space'];
  if (typeof addSpace === 'boolean') metadata.bool(keys.addSpace, addSpace);
  await writeEither(checkpoint, metadata, files);
  const size = checkpoint.parameters.integer('vocab_size');
  // Code Llama and SmolLM are recognized by these sizes, as in llama.cpp's converter.
  if (size === 32_016) metadata.u32(keys.endOfTurn, 32_010);
  if (size === 49_152) metadata.bool(keys.addBos, false);
}

export async function writeQwenTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  await writeEither(checkpoint, metadata, await readTokenizerFiles(checkpoint.folder));
}

/** `infill`: the tokens of Code Gemma, which all models of the first version have. */
export async function writeGemmaTokenizer(
  checkpoint: Checkpoint,
  metadata: Metadata,
  { infill = false } = {},
): Promise<void> {
  await writeEither(checkpoint, metadata, await readTokenizerFiles(checkpoint.folder));
  if (infill) metadata.u32(keys.endOfTurn, 107);
  metadata.bool(keys.addSpace, false);
}

/** Byte pairs only: gpt-oss, Llama 4 and others that have no SentencePiece model. */
export async function writeBytePairTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  writeBytePair(checkpoint, metadata, await readTokenizerFiles(checkpoint.folder));
}

/** GLM begins texts with [gMASK], and ends turns with the start of the next one. */
export async function writeGlmTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const fallbacks = { bos: '[gMASK]', eot: '<|user|>', unk: '<|endoftext|>', eom: '<|observation|>' };
  writeBytePair(checkpoint, metadata, await readTokenizerFiles(checkpoint.folder), { fallbacks });
}

/** Phi 4 has a tokenizer of GPT. */
export async function writePhiTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  await writeEither(checkpoint, metadata, await readTokenizerFiles(checkpoint.folder), { plainAdded: true });
}

async function writeEither(
  checkpoint: Checkpoint,
  metadata: Metadata,
  files: TokenizerFiles,
  options: SentencePieceOptions = {},
): Promise<void> {
  if (checkpoint.folder.has('tokenizer.model') || isSentencePiece(files))
    await writeSentencePiece(checkpoint, metadata, files, options);
  else writeBytePair(checkpoint, metadata, files);
}
