// FIRST sets: what the texts of an expression can start with. Items are literals if known, otherwise character classes, or
// the names that an object does not declare.

import { allCodePoints, type CodePoints, singlePoint, unite } from '../pattern/code-points.ts';
import type { Expression } from './expression.ts';
import { isJsonRule, type JsonRule } from './json.ts';
import type { Exclusions } from './rules.ts';

export type FirstItem = string | CodePoints | OtherStrings;

/** All strings in quotes except these texts. */
export interface OtherStrings {
  readonly except: ReadonlySet<string>;
}

export interface FirstSet {
  readonly firsts: readonly FirstItem[];
  /** Whether the expression matches the empty text. */
  readonly mayBeEmpty: boolean;
}

const digits: CodePoints = [[0x30, 0x39]];
const minus = singlePoint(0x2d);
const hexDigits: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x46],
  [0x61, 0x66],
];

const jsonFirsts: Readonly<Record<JsonRule, readonly FirstItem[]>> = {
  value: ['{', '[', '"', unite(digits, minus), 'true', 'false', 'null'],
  object: ['{'],
  member: ['"'],
  array: ['['],
  string: ['"'],
  char: [allCodePoints],
  unicode: [hexDigits],
  hex: [hexDigits],
  number: [unite(digits, minus)],
  integer: [unite(digits, minus)],
  ws: [' ', '\n'],
};

/** Larger sets become "any character". */
const maxFirsts = 400;
/** A literal with more continuations stays as it is. */
const maxContinuations = 32;
/** Literals in a row, which can go around a recursive rule. */
const maxLiterals = 8;
const maxDepth = 400;
const anything: FirstSet = { firsts: [allCodePoints], mayBeEmpty: true };

interface Place {
  readonly depth: number;
  /** Literals before it. */
  readonly literals: number;
}

const deeper = ({ depth, literals }: Place): Place => ({ depth: depth + 1, literals });

/** Memoizes the sets of rules. */
export function createFirstSets(
  rules: ReadonlyMap<string, Expression>,
  exclusions: Exclusions,
): (expression: Expression) => FirstSet {
  const known = new Map<string, FirstSet>();

  const firstOfRule = (name: string, place: Place): FirstSet => {
    if (isJsonRule(name)) return { firsts: jsonFirsts[name], mayBeEmpty: name === 'ws' };
    const except = exclusions.get(name);
    if (except) return { firsts: [{ except }], mayBeEmpty: false };
    const body = rules.get(name);
    const key = `${name} ${place.literals}`;
    const result = known.get(key) ?? (body ? find(body, deeper(place)) : anything);
    known.set(key, result);
    return result;
  };

  const firstOfSequence = (items: readonly Expression[], place: Place): FirstSet => {
    if (place.depth > maxDepth) return anything;
    // White space is ignored: it does not distinguish options.
    const [first, ...rest] = items.filter((item) => item.kind !== 'rule' || item.name !== 'ws');
    if (!first) return { firsts: [], mayBeEmpty: true };
    if (first.kind === 'literal') {
      if (place.literals === maxLiterals) return { firsts: [first.text], mayBeEmpty: false };
      const { firsts, mayBeEmpty } = firstOfSequence(rest, { ...deeper(place), literals: place.literals + 1 });
      return { firsts: prefixed(first.text, firsts, mayBeEmpty), mayBeEmpty: false };
    }
    const own = find(first, deeper(place));
    if (!own.mayBeEmpty || rest.length === 0) return own;
    const others = firstOfSequence(rest, deeper(place));
    return withLimit({ firsts: [...own.firsts, ...others.firsts], mayBeEmpty: others.mayBeEmpty });
  };

  const find = (expression: Expression, place: Place): FirstSet => {
    if (place.depth > maxDepth) return anything;
    switch (expression.kind) {
      case 'literal':
        return { firsts: [expression.text], mayBeEmpty: false };
      case 'class':
        return { firsts: [expression.points], mayBeEmpty: false };
      case 'rule':
        return firstOfRule(expression.name, place);
      case 'repeat': {
        const { firsts, mayBeEmpty } = find(expression.item, deeper(place));
        return { firsts, mayBeEmpty: mayBeEmpty || expression.min === 0 };
      }
      case 'choice': {
        const all = expression.options.map((option) => find(option, deeper(place)));
        return withLimit({
          firsts: all.flatMap(({ firsts }) => firsts),
          mayBeEmpty: all.some((one) => one.mayBeEmpty),
        });
      }
      case 'sequence':
        return firstOfSequence(expression.items, place);
    }
  };

  return (expression) => find(expression, { depth: 0, literals: 0 });
}

/** Extends a literal by the literals that can follow it. */
function prefixed(before: string, firsts: readonly FirstItem[], mayBeEmpty: boolean): readonly string[] {
  const areTexts =
    !mayBeEmpty && firsts.length <= maxContinuations && firsts.every((first) => typeof first === 'string');
  return areTexts ? firsts.map((first) => before + first) : [before];
}

function withLimit({ firsts, mayBeEmpty }: FirstSet): FirstSet {
  return firsts.length > maxFirsts ? { firsts: [allCodePoints], mayBeEmpty } : { firsts, mayBeEmpty };
}
