// The C API of llama.cpp around a vocabulary.

import type { LibraryHandle } from 'koffi';
import { bind } from './bind.ts';
import type { VocabPointer } from './pointers.ts';

export function bindVocabulary(llama: LibraryHandle) {
  return {
    vocabSize: bind<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_n_tokens(void *vocab)'),
    vocabIsEnd: bind<(vocab: VocabPointer, token: number) => boolean>(
      llama,
      'bool llama_vocab_is_eog(void *vocab, int32 token)',
    ),
    vocabAttributes: bind<(vocab: VocabPointer, token: number) => number>(
      llama,
      'int llama_vocab_get_attr(void *vocab, int32 token)',
    ),
    vocabBos: bind<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_bos(void *vocab)'),
    vocabNewline: bind<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_nl(void *vocab)'),
    vocabAddsBos: bind<(vocab: VocabPointer) => boolean>(llama, 'bool llama_vocab_get_add_bos(void *vocab)'),
    tokenize: bind<
      (
        vocab: VocabPointer,
        text: Uint8Array,
        length: number,
        out: Int32Array,
        room: number,
        addSpecial: boolean,
        parseSpecial: boolean,
      ) => number
    >(
      llama,
      'int32 llama_tokenize(void *vocab, const uint8 *text, int32 length, int32 *out, int32 room, bool add_special, bool parse_special)',
    ),
    tokenToPiece: bind<
      (vocab: VocabPointer, token: number, out: Uint8Array, room: number, leftStrip: number, special: boolean) => number
    >(
      llama,
      'int32 llama_token_to_piece(void *vocab, int32 token, uint8 *out, int32 room, int32 lstrip, bool special)',
    ),
  };
}
