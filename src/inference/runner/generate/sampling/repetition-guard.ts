// Detects an answer that repeats one token without end. White space is ignored.

const maxRepeats = 30;

export interface RepetitionGuard {
  /** True if this piece exceeds the limit. */
  exceeds(piece: string): boolean;
}

export function createRepetitionGuard(): RepetitionGuard {
  let last: string | undefined;
  let repeats = 0;
  return {
    exceeds(piece) {
      const trimmed = piece.trim();
      repeats = trimmed === last ? repeats + 1 : 0;
      last = trimmed;
      return repeats > maxRepeats;
    },
  };
}
