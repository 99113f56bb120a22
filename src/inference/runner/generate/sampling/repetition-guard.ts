// Ends an answer that has fallen into a loop: the same piece over and over, white space apart.

const maxRepeats = 30;

export interface RepetitionGuard {
  /** True when this piece is one too many. */
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
