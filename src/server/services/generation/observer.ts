// What the services tell about their work, for whoever counts it.

export interface AnswerObserved {
  readonly model: string;
  readonly promptTokens: number;
  /** Of them, those that had been evaluated before. */
  readonly cachedTokens: number;
  /** At least so many, where the answer was broken off. */
  readonly generatedTokens: number;
  /** From the request to its first text; absent where there was none. */
  readonly firstTextSeconds?: number;
  readonly generateSeconds: number;
}

export interface ServiceObserver {
  /** The runner has taken a request up, or it gave up waiting; loading counts as waiting. */
  waited(model: string, seconds: number): void;
  answered(answer: AnswerObserved): void;
  embedded(embedding: { readonly model: string; readonly texts: number; readonly tokens: number }): void;
}
