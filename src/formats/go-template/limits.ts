// What a template may cost. Templates come from model files and requests: none of them may hang the server, fill its
// memory or its stack.

export interface RenderLimits {
  /** Nodes visited, operands read, turns of loops; a function that works on much counts for more. */
  readonly steps: number;
  /** Characters written, and once more for what functions make on the way. */
  readonly outputLength: number;
  /** Blocks, templates and parentheses inside one another while rendering. */
  readonly depth: number;
}

export const defaultLimits: RenderLimits = { steps: 1_000_000, outputLength: 64 * 2 ** 20, depth: 300 };

export const parseLimits = { sourceLength: 2 ** 18, depth: 200 } as const;

/** How deep lists and maps are printed; the data of a request can nest deeper than the stack reaches. */
export const deepestValue = 500;

export interface Meter {
  step(count?: number): void;
  /** Text that a function makes. To be called before a text is made that is longer than its origin. */
  text(length: number): void;
  output(length: number): void;
}

/** Counts what a rendering costs, and ends it with an error where that is too much. */
export function createMeter({ steps, outputLength }: RenderLimits): Meter {
  let stepsLeft = steps;
  let textLeft = outputLength;
  let outputLeft = outputLength;
  return {
    step(count = 1) {
      stepsLeft -= count;
      if (stepsLeft < 0) throw new Error(`it takes more than ${steps} steps`);
    },
    text(length) {
      textLeft -= length;
      if (textLeft < 0) throw new Error(`its functions make more than ${outputLength} characters`);
    },
    output(length) {
      outputLeft -= length;
      if (outputLeft < 0) throw new Error(`it writes more than ${outputLength} characters`);
    },
  };
}

// Comparing or measuring this many characters takes about as long as a step.
const charactersPerStep = 1024;

export function stepsForText(length: number): number {
  return Math.floor(length / charactersPerStep);
}
