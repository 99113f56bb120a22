// The C API of llama.cpp around a vocabulary.

import type { LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { VocabPointer } from './pointers.ts';

export function bindVocabulary(llama: LibraryHandle) {
  return {
    vocabSize: bindFunction<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_n_tokens(void *vocab)'),
    vocabIsEnd: bindFunction<(vocab: VocabPointer, token: number) => boolean>(
      llama,
      'bool llama_vocab_is_eog(void *vocab, int32 token)',
    ),
    vocabAttributes: bindFunction<(vocab: VocabPointer, token: number) => number>(
      llama,
      'int llama_vocab_get_attr(void *vocab, int32 token)',
    ),
    vocabBos: bindFunction<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_bos(void *vocab)'),
    /** Like `vocabSep`, -1 if the vocabulary has no such token. */
    vocabEos: bindFunction<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_eos(void *vocab)'),
    vocabSep: bindFunction<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_sep(void *vocab)'),
    vocabNewline: bindFunction<(vocab: VocabPointer) => number>(llama, 'int32 llama_vocab_nl(void *vocab)'),
    vocabAddsBos: bindFunction<(vocab: VocabPointer) => boolean>(llama, 'bool llama_vocab_get_add_bos(void *vocab)'),
    vocabAddsEos: bindFunction<(vocab: VocabPointer) => boolean>(llama, 'bool llama_vocab_get_add_eos(void *vocab)'),
    vocabAddsSep: bindFunction<(vocab: VocabPointer) => boolean>(llama, 'bool llama_vocab_get_add_sep(void *vocab)'),
    tokenize: bindFunction<
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
    tokenToPiece: bindFunction<
      (vocab: VocabPointer, token: number, out: Uint8Array, room: number, leftStrip: number, special: boolean) => number
    >(
      llama,
      'int32 llama_token_to_piece(void *vocab, int32 token, uint8 *out, int32 room, int32 lstrip, bool special)',
    ),
  };
}
