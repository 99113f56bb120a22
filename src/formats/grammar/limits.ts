// What a schema may ask for. Each limit keeps either this conversion or llama.cpp's reading of its result within
// milliseconds: a schema comes from outside.

export const limits = {
  /** Objects and arrays inside each other, the schema's own nesting. */
  depth: 64,
  /** JSON values in the schema, and the characters of its texts. */
  values: 50_000,
  textLength: 500_000,
  /** Ways to satisfy one schema, once anyOf, oneOf and allOf are multiplied out. */
  alternatives: 1_000,
  /** Small steps of comparing branches, trying values and following patterns, for a whole schema. */
  effort: 20_000_000,
  rules: 20_000,
  /** The highest minLength, maxLength, minItems or maxItems, and the highest count in a pattern. */
  repetition: 100_000,
  patternLength: 2_000,
  patternDepth: 32,
  patternNodes: 10_000,
  automatonStates: 8_000,
  /** Members times bounds, where minProperties or maxProperties count. */
  memberStates: 20_000,
  /** Symbols after llama.cpp has written repetitions out. */
  elements: 200_000,
  /** llama.cpp looks for left recursion by walking all paths to a first character: without memory, so it can take for ever. */
  firstVisits: 200_000,
  /** Readings of an unfinished answer that llama.cpp may have to follow side by side. */
  readings: 512,
  grammarLength: 2_000_000,
} as const;
