// Decides whether a prefix is written to disk, as a function of plain data: it was used again, or evaluating it again
// would take long. What is on disk already is not written again with a few more tokens, as long as memory keeps it.

export interface WriteCandidate {
  readonly tokens: number;
  /** Tokens of it that a file provides. */
  readonly stored: number;
  /** Whether a request has used it. */
  readonly used: boolean;
  /** Whether memory keeps it no longer. */
  readonly leaving: boolean;
  /** Bytes of the weights, which all are read for every token. */
  readonly modelBytes: number;
}

const minTokens = 64;
// Five seconds of a model with 500 million parameters on two processor cores.
const expensiveWork = 2 ** 37;

// The part of a prefix that must be missing on disk. The entire prefix is written, so that a conversation that grows would
// be written many times.
const missingPart = { kept: 1 / 4, leaving: 1 / 100 } as const;

export function isWorthWriting({ tokens, stored, used, leaving, modelBytes }: WriteCandidate): boolean {
  const missing = tokens - stored;
  if (missing < minTokens) return false;
  return (
    missing * modelBytes >= expensiveWork || (used && missing >= tokens * missingPart[leaving ? 'leaving' : 'kept'])
  );
}

/** Tokens times bytes of weights, in the unit of file names. */
export function workOf(tokens: number, modelBytes: number): number {
  return Math.max(1, Math.round((tokens * modelBytes) / 2 ** 30));
}
