// SentencePiece vocabularies: from tokenizer.model, or from a tokenizer.json that was made from one.

import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { isUint32 } from '../files/json-object.ts';
import { mergesOf } from './byte-pair.ts';
import { type Piece, readSentencePieces } from './sentencepiece-model.ts';
import { looksSpecial, tokenTypes, withSpaces, writeSpecialTokens } from './special-tokens.ts';
import {
  type AddedToken,
  declaredTokens,
  readVocabulary,
  specialToken,
  type TokenizerFiles,
} from './tokenizer-files.ts';

const fillerScore = -10_000;
const addedScore = -1000;
const modelName = 'tokenizer.model';

export interface SentencePieceOptions {
  /** Phi: added tokens keep their spaces, only marked ones are special, and those of tokenizer.json count too. */
  readonly plainAdded?: boolean;
}

/** Entries that later sources replace. */
interface Draft {
  readonly text: string[];
  readonly scores: number[];
  readonly types: number[];
}

export async function writeSentencePiece(
  checkpoint: Checkpoint,
  metadata: Metadata,
  files: TokenizerFiles,
  { plainAdded = false }: SentencePieceOptions = {},
): Promise<void> {
  const { folder, parameters, config } = checkpoint;
  const bytes = await folder.readBytes(modelName, checkpointLimits.sentencePieceBytes);
  const size = parameters.integer('vocab_size');
  const draft = bytes === undefined ? fromTokenizerJson(files, size) : fromPieces(readSentencePieces(bytes), size);
  if (bytes !== undefined) {
    for (const [content, id] of Object.entries(await folder.readObject('added_tokens.json')))
      if (isUint32(id)) put(draft, { id, content }, tokenTypes.userDefined);
    const added = plainAdded ? [...declaredTokens(files), ...files.added] : declaredTokens(files);
    for (const token of added) putAdded(draft, token, plainAdded);
  }
  metadata.string('tokenizer.ggml.model', 'llama');
  metadata.string('tokenizer.ggml.pre', 'default');
  metadata.strings('tokenizer.ggml.tokens', draft.text);
  metadata.f32s('tokenizer.ggml.scores', draft.scores);
  metadata.i32s('tokenizer.ggml.token_type', draft.types);
  writeSpecialTokens(metadata, files, { config, vocabularySize: draft.text.length });
}

/** Whether the tokenizer was made by SentencePiece. */
export function isSentencePiece({ model }: TokenizerFiles): boolean {
  return model['type'] === 'BPE' && model['byte_fallback'] === true;
}

function emptyDraft(size: number): Draft {
  if (size > checkpointLimits.tokens) throw unusable(`it has ${size} tokens; the limit is ${checkpointLimits.tokens}`);
  return {
    text: Array.from({ length: size }, (_, id) => `[PAD${id}]`),
    scores: new Array<number>(size).fill(fillerScore),
    types: new Array<number>(size).fill(tokenTypes.unused),
  };
}

function fromPieces(pieces: readonly Piece[], size = pieces.length): Draft {
  const draft = emptyDraft(size);
  for (const [id, { text, score, kind }] of pieces.entries()) {
    if (id >= size) break;
    draft.text[id] = text;
    draft.scores[id] = score;
    draft.types[id] = kind === tokenTypes.userDefined ? tokenTypes.normal : kind;
  }
  return draft;
}

function put({ text, scores, types }: Draft, { id, content }: Pick<AddedToken, 'id' | 'content'>, type: number): void {
  if (id >= text.length) return;
  text[id] = content;
  scores[id] = addedScore;
  types[id] = type;
}

function putAdded(draft: Draft, token: AddedToken, plain: boolean): void {
  const isControl = token.special || (!plain && looksSpecial(token.content));
  const content = plain || isControl ? token.content : withSpaces(token.content);
  put(draft, { id: token.id, content }, isControl ? tokenTypes.control : tokenTypes.userDefined);
}

/**
 * A pair that is merged earlier has a higher score, so llama.cpp merges in the same order. Its own converter gives all
 * tokens the same score here, and texts would be split in another way than in training.
 */
function fromTokenizerJson(files: TokenizerFiles, size: number | undefined): Draft {
  const vocabulary = readVocabulary(files);
  for (const { id, content } of files.added) vocabulary.set(id, content);
  const count = [...vocabulary.keys()].reduce((largest, id) => Math.max(largest, id + 1), size ?? 0);
  if (size !== undefined && count > size)
    throw unusable(`tokenizer.json has ${count} tokens, but vocab_size is ${size}`);
  const draft = emptyDraft(count);
  const ranks = mergeRanks(files);
  for (const [id, text] of vocabulary) {
    draft.text[id] = text;
    draft.scores[id] = -(ranks.get(text) ?? ranks.size);
    draft.types[id] = byteToken.test(text) ? tokenTypes.byte : tokenTypes.normal;
  }
  for (const token of files.added) putAdded(draft, token, false);
  const unknownId = draft.text.indexOf(specialToken(files.settings, 'unk_token') ?? '<unk>');
  if (unknownId >= 0) draft.types[unknownId] = tokenTypes.unknown;
  return draft;
}

export const byteToken = /^<0x[0-9A-Fa-f]{2}>$/;

/** The rank of the first merge that gives a token. */
function mergeRanks(files: TokenizerFiles): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const [rank, merge] of mergesOf(files).entries()) {
    const token = merge.replace(' ', '');
    if (!ranks.has(token)) ranks.set(token, rank);
  }
  return ranks;
}
