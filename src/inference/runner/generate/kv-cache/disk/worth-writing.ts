// Decides whether a prefix is written to disk, as a function of plain data: it was used again, or evaluating it again
// would take long. What is on disk already is not written again with a few more tokens.

export interface WriteCandidate {
  readonly tokens: number;
  /** Tokens of it that a file provides. */
  readonly stored: number;
  /** Whether a request has used it. */
  readonly used: boolean;
  /** Bytes of the weights, which all are read for every token. */
  readonly modelBytes: number;
}

const minTokens = 64;
// Five seconds of a model with 500 million parameters on two processor cores.
const expensiveWork = 2 ** 37;

export function isWorthWriting({ tokens, stored, used, modelBytes }: WriteCandidate): boolean {
  const missing = tokens - stored;
  if (missing < minTokens) return false;
  return missing * modelBytes >= expensiveWork || (used && missing * 4 >= tokens);
}

/** Tokens times bytes of weights, in the unit of file names. */
export function workOf(tokens: number, modelBytes: number): number {
  return Math.max(1, Math.round((tokens * modelBytes) / 2 ** 30));
}
