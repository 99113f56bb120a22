// Receives measurements of the services, for the metrics.

export interface AnswerObserved {
  readonly model: string;
  readonly promptTokens: number;
  /** Prompt tokens that were taken from the prefix cache. */
  readonly cachedTokens: number;
  /** Cached tokens that were read from disk. */
  readonly diskTokens: number;
  /** A lower bound if the answer was aborted. */
  readonly generatedTokens: number;
  /** Tokens that speculation drafted, and those of them that were right. */
  readonly draftedTokens: number;
  readonly acceptedTokens: number;
  /** The same for tokens that a draft model or a prediction head drafted. */
  readonly modelDraftedTokens: number;
  readonly modelAcceptedTokens: number;
  /** Time from the request to its first text; absent if there was none. */
  readonly firstTextSeconds?: number;
  readonly generateSeconds: number;
}

export interface ServiceObserver {
  /** A runner has started a request, or the wait has failed. Loading is included in the wait. */
  waited(model: string, seconds: number): void;
  answered(answer: AnswerObserved): void;
  embedded(embedding: { readonly model: string; readonly texts: number; readonly tokens: number }): void;
  ranked(ranking: { readonly model: string; readonly documents: number; readonly tokens: number }): void;
}
