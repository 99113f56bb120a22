// What embedding models and rerankers are asked, and what they answer.

import type { RankInput } from '../protocol/messages.ts';

export interface EmbedRequest {
  /** Each is a text or its tokens. */
  readonly texts: readonly (string | readonly number[])[];
  /** True: a text that is too long is truncated at its end. False: it is a `bad_request`. */
  readonly truncate: boolean;
  /** Where a text is too long, if the context is longer. */
  readonly maxTokens?: number;
}

/** In the order of the texts. */
export interface Embeddings {
  /** As pooled by the model: not normalized, and NaN is possible. */
  readonly vectors: Float32Array[];
  /** Tokens evaluated per text, including special tokens. */
  readonly tokens: number[];
}

export type RankRequest = RankInput;

/** In the order of the documents. */
export interface Ranking {
  /** As the model computes them: logits, or probabilities of a decoder. NaN is possible. */
  readonly scores: number[];
  /** All outputs of a classifier for each document; the score is the first. Absent for remotes. */
  readonly outputs?: readonly Float32Array[];
  /** Tokens evaluated per document, including those of the query. */
  readonly tokens: number[];
}
