// Regular expressions as data.

import { allCodePoints, type CodePoints } from './code-points.ts';

export type PatternNode =
  | { readonly kind: 'set'; readonly points: CodePoints }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number };

/** `node` and all lookaheads apply to the entire text. */
export interface Pattern {
  readonly node: PatternNode;
  /** Whether `node` also reads the characters for the start and the end of a text: it has anchors inside. */
  readonly isFramed?: boolean;
  readonly lookaheads: readonly {
    readonly negated: boolean;
    readonly node: PatternNode;
    readonly isFramed?: boolean;
  }[];
  /** A subset of short texts, for generation: small models do not end long texts by themselves. */
  readonly shortForm?: PatternNode;
}

const anyCharacter: PatternNode = { kind: 'set', points: allCodePoints };
export const anyText: PatternNode = {
  kind: 'repeat',
  item: anyCharacter,
  min: 0,
  max: Number.POSITIVE_INFINITY,
};

// Beyond Unicode: the start and the end of a text, which ^ and $ match.
export const textStart = 0x11_0000;
export const textEnd = 0x11_0001;

export const patternSequence = (items: readonly PatternNode[]): PatternNode =>
  items.length === 1 ? (items[0] as PatternNode) : { kind: 'sequence', items };

export const patternChoice = (options: readonly PatternNode[]): PatternNode =>
  options.length === 1 ? (options[0] as PatternNode) : { kind: 'choice', options };

/** The bounds of the length of its texts. */
export function lengthsOf(node: PatternNode): { readonly min: number; readonly max: number } {
  switch (node.kind) {
    case 'set':
      return { min: 1, max: 1 };
    case 'sequence': {
      const all = node.items.map(lengthsOf);
      return { min: sum(all.map(({ min }) => min)), max: sum(all.map(({ max }) => max)) };
    }
    case 'choice': {
      const all = node.options.map(lengthsOf);
      return { min: Math.min(...all.map(({ min }) => min)), max: Math.max(...all.map(({ max }) => max)) };
    }
    case 'repeat': {
      const { min, max } = lengthsOf(node.item);
      return { min: min * node.min, max: max === 0 || node.max === 0 ? 0 : max * node.max };
    }
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Whether it repeats something that may be empty. llama.cpp treats that as left recursion. */
export function repeatsEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'sequence':
      return node.items.some(repeatsEmpty);
    case 'choice':
      return node.options.some(repeatsEmpty);
    case 'repeat':
      return lengthsOf(node.item).min === 0 || repeatsEmpty(node.item);
  }
}
