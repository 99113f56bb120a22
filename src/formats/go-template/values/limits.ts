// Limits of templates. Templates come from model files and requests and are untrusted: none may block the server or
// exhaust its memory or stack.

import { type Effort, unlimitedEffort } from '../../../base/effort.ts';

export interface TemplateLimits {
  /** Visited nodes, evaluated operands and loop iterations. Functions with large inputs cost more. */
  readonly steps: number;
  /** Characters of the output. Text produced by functions has a separate limit of the same size. */
  readonly outputLength: number;
  /** Nesting of blocks, templates and parentheses while rendering. */
  readonly depth: number;
}

export const defaultLimits: TemplateLimits = { steps: 1_000_000, outputLength: 64 * 2 ** 20, depth: 300 };

export const parseLimits = { sourceLength: 2 ** 18, depth: 200 } as const;

/** Nesting of printed lists and maps: the data of a request can be nested more deeply than the stack allows. */
export const maxValueDepth = 500;

/** Counts the cost of a rendering and throws above the limits. */
export function createMeter({ steps, outputLength }: TemplateLimits, effort: Effort = unlimitedEffort) {
  let stepsLeft = steps;
  let textLeft = outputLength;
  let outputLeft = outputLength;
  return {
    step(count: number = 1): void {
      effort.spend(count);
      stepsLeft -= count;
      if (stepsLeft < 0) throw new Error(`it takes more than ${steps} steps`);
    },
    /** Text produced by a function. Called before a text is built that is longer than its input. */
    text(length: number): void {
      effort.spend(Math.floor(length / escapedPerStep));
      textLeft -= length;
      if (textLeft < 0) throw new Error(`its functions make more than ${outputLength} characters`);
    },
    output(length: number): void {
      effort.spend(stepsForText(length));
      outputLeft -= length;
      if (outputLeft < 0) throw new Error(`it writes more than ${outputLength} characters`);
    },
  };
}

export type Meter = ReturnType<typeof createMeter>;

// Escaping this many characters takes about as long as a step.
const escapedPerStep = 8;
// Comparing this many characters takes about as long as a step.
const charactersPerStep = 1024;

export function stepsForText(length: number): number {
  return Math.floor(length / charactersPerStep);
}
