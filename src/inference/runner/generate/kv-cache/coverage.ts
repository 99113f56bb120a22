// Which tokens of a prompt a copy of evaluated tokens provides.

import { keptAtStart } from './marks.ts';

/** A copy of evaluated tokens, and where it can be cut. */
interface CutSource {
  readonly tokens: { readonly length: number };
  readonly marks: readonly { readonly length: number }[];
}

/** The start of a prompt, and who may share it. */
export interface PrefixQuery {
  readonly tokens: ArrayLike<number>;
  readonly partition: string;
  /** The conversation that the request names. */
  readonly session?: string | undefined;
}

interface Coverage extends CutSource {
  readonly tokens: Int32Array;
  readonly partition: string;
}

/** What a prompt has in common with an evaluated sequence. */
export interface Overlap {
  /** Common tokens at the start. */
  readonly common: number;
  /** Tokens of the sequence that are its prompt. The rest is an answer. */
  readonly promptLength: number;
}

export const noOverlap: Overlap = { common: 0, promptLength: 0 };

/** Whether a prompt repeats the entire prompt of the sequence, as the next turn of a conversation does. */
export function continuesPrompt({ common, promptLength }: Overlap): boolean {
  return common > 0 && common >= promptLength;
}

export function longest(overlaps: readonly Overlap[]): Overlap {
  return overlaps.reduce((best, overlap) => (overlap.common > best.common ? overlap : best), noOverlap);
}

/** How many tokens a copy provides for a prompt that begins with the first `common` of them. */
export function usableLength(common: number, { tokens, marks }: CutSource, cutsAnywhere: boolean): number {
  if (cutsAnywhere || common >= tokens.length) return Math.min(common, tokens.length);
  return Math.max(0, ...marks.map(({ length }) => length).filter((length) => length <= common));
}

/** Whether a copy provides all tokens of the query. */
export function provides(source: Coverage, { tokens, partition }: PrefixQuery, cutsAnywhere: boolean): boolean {
  return (
    source.partition === partition &&
    commonLength(tokens, source.tokens) === tokens.length &&
    usableLength(tokens.length, source, cutsAnywhere) === tokens.length
  );
}

/**
 * Whether `entry` provides what `other` provides. The limit of marks removes some between the first and the last ones:
 * otherwise, each turn of a long conversation would be kept apart.
 */
export function isRedundant(other: Coverage, entry: Coverage, cutsAnywhere: boolean): boolean {
  const { tokens, marks, partition } = other;
  const lengths = [tokens.length, ...marks.slice(0, keptAtStart).map(({ length }) => length)];
  return lengths.every((length) => provides(entry, { tokens: tokens.subarray(0, length), partition }, cutsAnywhere));
}

/** The length of the common prefix. */
export function commonLength(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const max = Math.min(a.length, b.length);
  let length = 0;
  while (length < max && a[length] === b[length]) length++;
  return length;
}
