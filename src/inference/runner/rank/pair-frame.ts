// The special tokens around a query and a document, for models without a template for pairs.

import type { LlamaApi } from '../llama/bindings/llama-api.ts';
import type { VocabPointer } from '../llama/bindings/pointers.ts';

export interface PairFrame {
  readonly head: readonly number[];
  readonly middle: readonly number[];
  readonly tail: readonly number[];
}

interface SpecialTokens {
  /** Negative: the vocabulary has none. */
  readonly bos: number;
  readonly eos: number;
  readonly sep: number;
  readonly addsBos: boolean;
  readonly addsEos: boolean;
  readonly addsSep: boolean;
}

/** BERT: [CLS] query [SEP] document [SEP]. RoBERTa: <s> query </s></s> document </s>. */
export function toPairFrame({ bos, eos, sep, addsBos, addsEos, addsSep }: SpecialTokens): PairFrame {
  const end = addsEos ? [eos >= 0 ? eos : sep] : [];
  const separator = addsSep ? [sep] : [];
  const existing = (...tokens: readonly number[]): number[] => tokens.filter((token) => token >= 0);
  return {
    head: existing(...(addsBos ? [bos] : [])),
    middle: existing(...end, ...separator),
    // llama-server adds nothing here for BERT, but BERT is trained with pairs that end with [SEP].
    tail: existing(...(addsEos ? end : separator)),
  };
}

export function readPairFrame(api: LlamaApi, vocab: VocabPointer): PairFrame {
  return toPairFrame({
    bos: api.vocabBos(vocab),
    eos: api.vocabEos(vocab),
    sep: api.vocabSep(vocab),
    addsBos: api.vocabAddsBos(vocab),
    addsEos: api.vocabAddsEos(vocab),
    addsSep: api.vocabAddsSep(vocab),
  });
}
