// Limits of schemas and of the grammars made from them. Schemas are untrusted: each limit keeps the conversion, or the
// time that llama.cpp takes to parse its result, within about 100 milliseconds. Conversion blocks all other requests.

import { type Effort, unlimitedEffort } from '../../../base/effort.ts';
import { schemaError } from './schema-error.ts';
export const grammarLimits = {
  /** Nesting of objects and arrays in the schema. */
  depth: 64,
  /** JSON values in the schema, and the characters of its strings and names. */
  values: 25_000,
  textLength: 250_000,
  /** Alternatives of one schema after anyOf, oneOf and allOf are expanded. */
  alternatives: 1_000,
  /** Steps of work for one schema: comparing branches, trying values, following patterns, building rules. */
  steps: 200_000,
  rules: 10_000,
  /** The highest minLength, maxLength, minItems or maxItems, and the highest count in a pattern. */
  repetition: 100_000,
  patternLength: 2_000,
  patternDepth: 32,
  patternNodes: 10_000,
  automatonStates: 2_000,
  /** The largest `multipleOf` that is enforced, without its trailing zeros. */
  multiple: 64,
  /** Sets of values in an array whose `uniqueItems` is enforced. */
  uniqueSets: 256,
  /** Members times bounds, where minProperties or maxProperties count. */
  memberStates: 4_000,
  /** Symbols after llama.cpp has expanded repetitions. */
  elements: 200_000,
  /** llama.cpp's check for left recursion visits every path to a first character, without memoization. */
  firstVisits: 200_000,
  /** Parses of a partial answer that llama.cpp may have to follow in parallel. */
  parses: 512,
  grammarLength: 2_000_000,
} as const;

export function createWorkBudget(effort: Effort = unlimitedEffort) {
  let spent = 0;
  return {
    spend(steps: number, path: string): void {
      effort.spend(steps);
      spent += steps;
      if (spent > grammarLimits.steps) throw schemaError(path, 'is too complex to convert');
    },
  };
}

export type WorkBudget = ReturnType<typeof createWorkBudget>;
