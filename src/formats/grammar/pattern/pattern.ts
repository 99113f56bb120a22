// Regular expressions as data: sets of characters, one after another, instead of each other, or repeated.

import { allCodePoints, type CodePoints } from './code-points.ts';

export type PatternNode =
  | { readonly kind: 'set'; readonly points: CodePoints }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number };

/** What a whole text has to be, and what it has to be or must not be besides: looks ahead from its beginning. */
export interface Pattern {
  readonly node: PatternNode;
  readonly lookaheads: readonly { readonly negated: boolean; readonly node: PatternNode }[];
  /** Some of its texts, none of them long: small models do not find an end by themselves. */
  readonly short?: PatternNode;
}

export const anyCharacter: PatternNode = { kind: 'set', points: allCodePoints };
export const anyText: PatternNode = {
  kind: 'repeat',
  item: anyCharacter,
  least: 0,
  most: Number.POSITIVE_INFINITY,
};

export const inSequence = (items: readonly PatternNode[]): PatternNode =>
  items.length === 1 ? (items[0] as PatternNode) : { kind: 'sequence', items };

export const asChoice = (options: readonly PatternNode[]): PatternNode =>
  options.length === 1 ? (options[0] as PatternNode) : { kind: 'choice', options };

/** How many characters its texts have. */
export function lengthsOf(node: PatternNode): { readonly least: number; readonly most: number } {
  switch (node.kind) {
    case 'set':
      return { least: 1, most: 1 };
    case 'sequence': {
      const all = node.items.map(lengthsOf);
      return { least: sum(all.map(({ least }) => least)), most: sum(all.map(({ most }) => most)) };
    }
    case 'choice': {
      const all = node.options.map(lengthsOf);
      return { least: Math.min(...all.map(({ least }) => least)), most: Math.max(...all.map(({ most }) => most)) };
    }
    case 'repeat': {
      const { least, most } = lengthsOf(node.item);
      return { least: least * node.least, most: most === 0 || node.most === 0 ? 0 : most * node.most };
    }
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Whether something that may be empty is repeated in it: that looks like left recursion to llama.cpp. */
export function repeatsEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'sequence':
      return node.items.some(repeatsEmpty);
    case 'choice':
      return node.options.some(repeatsEmpty);
    case 'repeat':
      return lengthsOf(node.item).least === 0 || repeatsEmpty(node.item);
  }
}
