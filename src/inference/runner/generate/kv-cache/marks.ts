// Points where a sequence can be cut although its memory cannot be cut at any token (memory-kind.ts): the state is copied
// there while the prompt is evaluated. Later prompts mostly differ from earlier ones at the same points: after the system
// message and the tools, at the last message, and at the answer or its header, which is the start of an answer in a template.

import type { PrefixMark } from '../sequence/sequence.ts';

// A mark costs a pass of its own and a copy of the state.
const minDistance = 16;
const minEnd = 4;
// Tokens after the mark at which a prompt continues. A mark before that saves less than its pass costs: attention is slow
// for parts of less than 64 tokens.
const minNew = 64;
// A longer end is text that the answer continues.
const maxHeaderTokens = 64;
const maxKept = 8;
export const keptAtStart = 3;

interface MarkSituation {
  /** Whether a token can begin a message. */
  readonly isControl: (token: number) => boolean;
  /** Whether the last mark is at the end, because the next prompt is expected to repeat all of this one. */
  readonly atEnd: boolean;
}

/**
 * Where to copy the state of a prompt, in ascending order. Messages begin with the same control token in almost every
 * template. Without one, there is only the end. A mark at the end takes no pass of its own, but the same prompt again
 * cannot use it: the logits of its last token are always needed.
 */
export function planMarks(prompt: readonly number[], { isControl, atEnd }: MarkSituation): number[] {
  const starts = messageStarts(prompt, isControl);
  const [beforeLast, last] = starts.slice(-2);
  const hasHeader = last !== undefined && prompt.length - last <= maxHeaderTokens;
  const beforeAnswer = hasHeader ? last : prompt.length - 1;
  const end = atEnd ? prompt.length : beforeAnswer;
  const marks = end >= minEnd ? [end] : [];
  for (const mark of [hasHeader ? beforeLast : last, starts[1]]) {
    if (mark !== undefined && mark >= minDistance && mark + minDistance <= (marks[0] ?? 0)) marks.unshift(mark);
  }
  return marks;
}

/** The places of the first control token that occurs more than once: it begins a message. */
function messageStarts(prompt: readonly number[], isControl: (token: number) => boolean): number[] {
  const places = new Map<number, number[]>();
  prompt.forEach((token, index) => {
    const known = places.get(token);
    if (known !== undefined) known.push(index);
    else if (token >= 0 && isControl(token)) places.set(token, [index]);
  });
  return [...places.values()].find(({ length }) => length > 1) ?? [];
}

/** Adds a planned mark, in order. */
export function withPlanned(planned: readonly number[], mark: number): number[] {
  return planned.includes(mark) ? [...planned] : [...planned, mark].sort((a, b) => a - b);
}

/** The planned marks of the rest of a prompt that continues at a mark. At the last one, the next prompt continues. */
export function marksAfter(planned: readonly number[], evaluated: number): number[] {
  const least = evaluated === 0 ? 1 : evaluated + minNew;
  return planned.filter((mark, index) => mark >= least || (index === planned.length - 1 && mark > evaluated));
}

/** The first marks are those of the system message, the last ones are those of the latest turns. */
export function limitMarks(marks: readonly PrefixMark[]): readonly PrefixMark[] {
  if (marks.length <= maxKept) return marks;
  return [...marks.slice(0, keptAtStart), ...marks.slice(keptAtStart - maxKept)];
}
