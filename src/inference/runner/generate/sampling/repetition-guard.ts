// Detects an answer that repeats one token without end. White space is ignored.

const maxRepeats = 30;

export function createRepetitionGuard() {
  let last: string | undefined;
  let repeats = 0;
  return {
    /** True if the next token exceeds the limit. `trimmed`: its text without white space. */
    exceeds(trimmed: string): boolean {
      repeats = trimmed === last ? repeats + 1 : 0;
      last = trimmed;
      return repeats > maxRepeats;
    },
  };
}

export type RepetitionGuard = ReturnType<typeof createRepetitionGuard>;
