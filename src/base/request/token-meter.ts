// Counts the tokens of one answer in the quota of its key, while they are generated.

export interface TokenMeter {
  /** `tokens`: all of the answer so far, with its prompt. False: the quota is used up, and the answer must end. */
  count(tokens: number): boolean;
  /** Gives back what was reserved and not used. */
  close(): void;
}

/** What a request will use, as far as that is known before. */
export interface ExpectedTokens {
  readonly promptBytes: number;
  readonly images?: number;
  /** Absent: the request has no limit, and the model ends the answer. */
  readonly answerTokens?: number;
}

/** Throws `rate_limited` if the key of the current request has no tokens left. */
export type OpenTokenMeter = (expected: ExpectedTokens) => TokenMeter | Promise<TokenMeter>;
