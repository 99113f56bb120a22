// Unigram vocabularies of SentencePiece in tokenizer.json: XLM-RoBERTa and the encoders that build on it. llama.cpp calls
// the algorithm t5.

import { asObject } from '../../../base/json-values.ts';
import type { Checkpoint } from '../config/checkpoint.ts';
import type { Metadata } from '../config/metadata.ts';
import { checkpointLimits, unusable } from '../files/checkpoint-error.ts';
import { asString, type ConfigObject, objectsOf } from '../files/json-object.ts';
import { tokenTypes, writeSpecialTokens } from './special-tokens.ts';
import { readTokenizerFiles, specialToken, type TokenizerFiles } from './tokenizer-files.ts';

const fillerScore = -10_000;
const namedTokens = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

export function isUnigram({ model }: TokenizerFiles): boolean {
  return model['type'] === 'Unigram';
}

export async function writeUnigramTokenizer(checkpoint: Checkpoint, metadata: Metadata): Promise<void> {
  const { folder, parameters, config } = checkpoint;
  const files = await readTokenizerFiles(folder);
  if (!isUnigram(files)) throw unusable('it has no tokenizer.json with Unigram');
  const { text, scores, types } = readPieces(files, parameters.integer('vocab_size') ?? 0);
  metadata.string('tokenizer.ggml.model', 't5');
  metadata.string('tokenizer.ggml.pre', 'default');
  metadata.strings('tokenizer.ggml.tokens', text);
  metadata.f32s('tokenizer.ggml.scores', scores);
  metadata.i32s('tokenizer.ggml.token_type', types);
  metadata.bool('tokenizer.ggml.add_space_prefix', files.settings['add_prefix_space'] !== false);
  metadata.u32('tokenizer.ggml.token_type_count', parameters.integer('type_vocab_size') ?? 1);
  metadata.bool('tokenizer.ggml.remove_extra_whitespaces', files.settings['clean_up_tokenization_spaces'] !== false);
  const map = characterMap(asObject(files.json?.['normalizer']));
  if (map !== undefined) metadata.u8s('tokenizer.ggml.precompiled_charsmap', map);
  writeSpecialTokens(metadata, files, { config, vocabularySize: text.length });
}

function readPieces(files: TokenizerFiles, size: number) {
  const pieces: unknown = files.model['vocab'];
  if (!Array.isArray(pieces)) throw unusable('tokenizer.json has no vocabulary');
  const count = Math.max(size, pieces.length);
  if (count > checkpointLimits.tokens)
    throw unusable(`it has ${count} tokens; the limit is ${checkpointLimits.tokens}`);
  const typeOf = createTypes(files);
  const draft = { text: [] as string[], scores: [] as number[], types: [] as number[] };
  for (let id = 0; id < count; id++) {
    const piece: unknown = pieces[id];
    const [text, score] = piece === undefined ? [`[PAD${id}]`, fillerScore] : readPiece(piece, id);
    draft.text.push(text);
    draft.scores.push(score);
    draft.types.push(piece === undefined ? tokenTypes.unused : typeOf(id, text));
  }
  return draft;
}

function readPiece(piece: unknown, id: number): [string, number] {
  const [text, score]: unknown[] = Array.isArray(piece) ? piece : [];
  if (typeof text !== 'string' || typeof score !== 'number')
    throw unusable(`the token ${id} of tokenizer.json is not valid`);
  return [text, score];
}

function createTypes({ model, settings, added }: TokenizerFiles): (id: number, text: string) => number {
  const named = new Set(namedTokens.map((name) => specialToken(settings, name)));
  const special = new Map(added.map((token) => [token.id, token.special]));
  const unknownText = specialToken(settings, 'unk_token');
  const unknown = added.find(({ content }) => content === unknownText)?.id ?? model['unk_id'];
  return (id, text) => {
    if (id === unknown) return tokenTypes.unknown;
    if (named.has(text) || special.get(id) === true) return tokenTypes.control;
    return special.has(id) ? tokenTypes.userDefined : tokenTypes.normal;
  };
}

/** How characters are replaced before a text is split, as compiled by SentencePiece. */
function characterMap(normalizer: ConfigObject): Buffer | undefined {
  const steps = [normalizer, ...objectsOf(normalizer['normalizers'])];
  const map = steps.map((step) => asString(step['precompiled_charsmap'])).find((text) => text !== undefined);
  return map === undefined || map === '' ? undefined : Buffer.from(map, 'base64');
}
