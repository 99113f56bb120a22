// The vocabulary and the chat template of Ember, with more tokens: pieces of texts that only the model writes, and words
// that are one token wherever they occur in a prompt.

import type { GgufEntry } from '../../../src/formats/gguf/encode-entry.ts';
import type { GgufMetadata } from '../../../src/formats/gguf/metadata.ts';
import { readGgufFile } from '../../../src/formats/gguf/read-gguf.ts';
import { repository } from '../../support/repository.ts';

export interface Vocabulary {
  readonly size: number;
  readonly metadata: Readonly<Record<string, GgufEntry>>;
  /** The token with this text. */
  idOf(text: string): number;
}

const tokenTypes = { normal: 1, userDefined: 4 } as const;

export async function extendVocabulary(pieces: readonly string[], words: readonly string[]): Promise<Vocabulary> {
  const { metadata } = await readGgufFile(repository('models/ember-q4_k_m.gguf'));
  const ember = metadata.get('tokenizer.ggml.tokens') as readonly string[];
  const emberTypes = metadata.get('tokenizer.ggml.token_type') as readonly number[];
  // llama.cpp rejects a vocabulary that has a token twice.
  const newPieces = pieces.map(toTokenText).filter((piece) => !ember.includes(piece));
  const tokens = [...ember, ...newPieces, ...words];
  const types = [
    ...emberTypes,
    ...newPieces.map(() => tokenTypes.normal),
    // The tokenizer finds these before it splits a text.
    ...words.map(() => tokenTypes.userDefined),
  ];
  return {
    size: tokens.length,
    metadata: {
      ...copyTokenizer(metadata),
      'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
      'tokenizer.ggml.token_type': { type: 'i32s', value: types },
    },
    idOf(text) {
      const id = tokens.indexOf(words.includes(text) ? text : toTokenText(text));
      if (id === -1) throw new Error(`there is no token ${JSON.stringify(text)}`);
      return id;
    },
  };
}

function copyTokenizer(metadata: GgufMetadata): Record<string, GgufEntry> {
  const string = (name: string): GgufEntry => ({ type: 'string', value: metadata.get(name) as string });
  const number = (name: string): GgufEntry => ({ type: 'u32', value: metadata.get(name) as number });
  return {
    'tokenizer.ggml.model': string('tokenizer.ggml.model'),
    'tokenizer.ggml.pre': string('tokenizer.ggml.pre'),
    'tokenizer.ggml.merges': { type: 'strings', value: metadata.get('tokenizer.ggml.merges') as readonly string[] },
    'tokenizer.ggml.bos_token_id': number('tokenizer.ggml.bos_token_id'),
    'tokenizer.ggml.eos_token_id': number('tokenizer.ggml.eos_token_id'),
    'tokenizer.ggml.eot_token_id': number('tokenizer.ggml.eot_token_id'),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': string('tokenizer.chat_template'),
  };
}

/** Byte-level vocabularies write blanks as letters. Other ASCII characters stand for themselves. */
function toTokenText(text: string): string {
  return text.replaceAll(' ', '\u0120').replaceAll('\n', '\u010a');
}
