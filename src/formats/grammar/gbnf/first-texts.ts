// What the texts of an expression can begin with: whole words where they are known, else characters.

import { isJsonRule, type JsonRule } from '../json.ts';
import { allCodePoints, type CodePoints, includes, intersect, singlePoint, unite } from '../pattern/code-points.ts';
import type { Expression } from './expression.ts';

export type FirstText = string | CodePoints;

export interface FirstTexts {
  readonly firsts: readonly FirstText[];
  /** The empty text is among them. */
  readonly mayBeEmpty: boolean;
}

const digits: CodePoints = [[0x30, 0x39]];
const minus = singlePoint(0x2d);
const hexDigits: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x46],
  [0x61, 0x66],
];

const jsonFirsts: Readonly<Record<JsonRule, readonly FirstText[]>> = {
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

/** Beyond this many the answer is "anything". */
const maxFirsts = 400;
const deepest = 400;
const anything: FirstTexts = { firsts: [allCodePoints], mayBeEmpty: true };

/** Looks expressions up, and remembers what it has found out about rules. */
export function createFirstTexts(rules: ReadonlyMap<string, Expression>): (expression: Expression) => FirstTexts {
  const known = new Map<string, FirstTexts>();

  const ofRule = (name: string, depth: number): FirstTexts => {
    if (isJsonRule(name)) return { firsts: jsonFirsts[name], mayBeEmpty: name === 'ws' };
    const body = rules.get(name);
    const result = known.get(name) ?? (body ? find(body, depth + 1) : anything);
    known.set(name, result);
    return result;
  };

  const ofSequence = (items: readonly Expression[], depth: number): FirstTexts => {
    if (depth > deepest) return anything;
    // White space tells nothing apart, and is left out.
    const [first, ...rest] = items.filter((item) => item.kind !== 'rule' || item.name !== 'ws');
    if (!first) return { firsts: [], mayBeEmpty: true };
    if (first.kind === 'text') {
      const { firsts, mayBeEmpty } = ofSequence(rest, depth + 1);
      return { firsts: prefixed(first.text, firsts, mayBeEmpty), mayBeEmpty: false };
    }
    const own = find(first, depth + 1);
    if (!own.mayBeEmpty || rest.length === 0) return own;
    const others = ofSequence(rest, depth + 1);
    return limited({ firsts: [...own.firsts, ...others.firsts], mayBeEmpty: others.mayBeEmpty });
  };

  const find = (expression: Expression, depth: number): FirstTexts => {
    if (depth > deepest) return anything;
    switch (expression.kind) {
      case 'text':
        return { firsts: [expression.text], mayBeEmpty: false };
      case 'class':
        return { firsts: [expression.points], mayBeEmpty: false };
      case 'rule':
        return ofRule(expression.name, depth);
      case 'repeat': {
        const { firsts, mayBeEmpty } = find(expression.item, depth + 1);
        return { firsts, mayBeEmpty: mayBeEmpty || expression.least === 0 };
      }
      case 'choice': {
        const all = expression.options.map((option) => find(option, depth + 1));
        return limited({ firsts: all.flatMap(({ firsts }) => firsts), mayBeEmpty: all.some((one) => one.mayBeEmpty) });
      }
      case 'sequence':
        return ofSequence(expression.items, depth);
    }
  };

  return (expression) => find(expression, 0);
}

/** What is known to follow a text makes it longer. */
function prefixed(before: string, firsts: readonly FirstText[], mayBeEmpty: boolean): readonly string[] {
  const areTexts = !mayBeEmpty && firsts.every((first) => typeof first === 'string');
  return areTexts ? firsts.map((first) => before + first) : [before];
}

function limited({ firsts, mayBeEmpty }: FirstTexts): FirstTexts {
  return firsts.length > maxFirsts ? { firsts: [allCodePoints], mayBeEmpty } : { firsts, mayBeEmpty };
}

/** Whether one text can begin in both ways. */
export function beginAlike(a: FirstTexts, b: FirstTexts): boolean {
  return a.firsts.some((one) => b.firsts.some((other) => overlap(one, other)));
}

function overlap(a: FirstText, b: FirstText): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.startsWith(b) || b.startsWith(a);
  if (typeof a === 'string') return includes(b as CodePoints, a.codePointAt(0) as number);
  if (typeof b === 'string') return includes(a, b.codePointAt(0) as number);
  return intersect(a, b).length > 0;
}
