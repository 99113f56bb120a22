// Detects an answer that repeats one token without end. White space is ignored.

const maxRepeats = 30;

/** `minTokens`: so many tokens may repeat. */
export function createRepetitionGuard(minTokens = 0) {
  let last: string | undefined;
  let repeats = 0;
  let tokens = 0;
  return {
    /** True if the next token exceeds the limit. `trimmed`: its text without white space. */
    exceeds(trimmed: string): boolean {
      tokens++;
      repeats = trimmed === last ? repeats + 1 : 0;
      last = trimmed;
      return repeats > maxRepeats && tokens > minTokens;
    },
  };
}

export type RepetitionGuard = ReturnType<typeof createRepetitionGuard>;
