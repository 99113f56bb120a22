// The expression tree: right-hand sides of grammar rules as data. Choices are left-factored while they are built,
// because llama.cpp follows every option that matches the answer so far.

import type { CodePoints } from '../pattern/code-points.ts';

export type Expression =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'class'; readonly points: CodePoints }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly item: Expression; readonly min: number; readonly max: number }
  | { readonly kind: 'rule'; readonly name: string };

/** Matches the empty text. */
export const empty: Expression = { kind: 'sequence', items: [] };
/** Matches no text. */
export const never: Expression = { kind: 'choice', options: [] };

export const literal = (content: string): Expression => (content === '' ? empty : { kind: 'literal', text: content });
export function characterClass(points: CodePoints): Expression {
  const [first] = points;
  if (!first) return never;
  return points.length === 1 && first[0] === first[1]
    ? literal(String.fromCodePoint(first[0]))
    : { kind: 'class', points };
}
export const rule = (name: string): Expression => ({ kind: 'rule', name });
export const whiteSpace = rule('ws');

export const isEmpty = (expression: Expression): boolean =>
  expression.kind === 'sequence' && expression.items.length === 0;
export const isNever = (expression: Expression): boolean =>
  expression.kind === 'choice' && expression.options.length === 0;

export function countNodes(expression: Expression): number {
  switch (expression.kind) {
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + countNodes(item), 1);
    case 'choice':
      return expression.options.reduce((sum, option) => sum + countNodes(option), 1);
    case 'repeat':
      return 1 + countNodes(expression.item);
    default:
      return 1;
  }
}

export function sequence(...parts: readonly Expression[]): Expression {
  const items: Expression[] = [];
  const add = (item: Expression): void => {
    const last = items.at(-1);
    if (last?.kind === 'literal' && item.kind === 'literal') items[items.length - 1] = literal(last.text + item.text);
    else items.push(item);
  };
  for (const part of parts) {
    if (part.kind === 'sequence') for (const item of part.items) add(item);
    else add(part);
  }
  if (items.length === 0) return empty;
  if (items.some(isNever)) return never;
  const [only] = items;
  return items.length === 1 && only ? only : { kind: 'sequence', items };
}

/** For small constant counts. Counts from a schema go through `repeat` of createRules. */
export function repeat(item: Expression, min: number, max: number): Expression {
  if (max < min) return never;
  if (max === 0 || isEmpty(item)) return empty;
  if (isNever(item)) return min === 0 ? empty : never;
  if (min === 1 && max === 1) return item;
  if (item.kind === 'repeat' && max === 1 && item.min <= 1) return { ...item, min: 0 };
  return { kind: 'repeat', item, min, max };
}

export const optional = (item: Expression): Expression => repeat(item, 0, 1);

// Deeper options are not factored, so that groups are not nested too deeply.
const maxFactorDepth = 48;

export function choiceOf(options: readonly Expression[], depth = 0): Expression {
  const flat = options.flatMap((option) => (option.kind === 'choice' ? option.options : [option]));
  const nonEmpty = flat.filter((option) => !isEmpty(option));
  if (nonEmpty.length < flat.length) return nonEmpty.length === 0 ? empty : optional(choiceOf(nonEmpty, depth));
  const groups = depth > maxFactorDepth ? flat.map((option) => [option]) : groupByHead(flat);
  const factored = groups.map((group) => (group.length === 1 ? (group[0] as Expression) : factor(group, depth)));
  const [only] = factored;
  return factored.length === 1 && only ? only : { kind: 'choice', options: factored };
}

const headOf = (option: Expression): Expression =>
  option.kind === 'sequence' ? (option.items[0] as Expression) : option;

const withoutHead = (option: Expression): Expression =>
  option.kind === 'sequence' ? sequence(...option.items.slice(1)) : empty;

function groupByHead(options: readonly Expression[]): Expression[][] {
  const groups = new Map<string, Expression[]>();
  for (const option of options) {
    const head = headOf(option);
    const key =
      head.kind === 'literal' ? `"${String.fromCodePoint(head.text.codePointAt(0) as number)}` : JSON.stringify(head);
    const group = groups.get(key);
    if (group) group.push(option);
    else groups.set(key, [option]);
  }
  return [...groups.values()];
}

function factor(group: readonly Expression[], depth: number): Expression {
  const head = headOf(group[0] as Expression);
  if (head.kind !== 'literal') return sequence(head, choiceOf(group.map(withoutHead), depth + 1));
  const texts = group.map((option) => (headOf(option) as { text: string }).text);
  const prefix = commonPrefix(texts);
  const rests = group.map((option, index) =>
    sequence(literal((texts[index] as string).slice(prefix.length)), withoutHead(option)),
  );
  return sequence(literal(prefix), choiceOf(rests, depth + 1));
}

function commonPrefix(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others) {
    let common = 0;
    while (common < length && first[common] === other[common]) common++;
    length = common;
  }
  const splitsPair = length > 0 && (first.codePointAt(length - 1) as number) > 0xffff;
  return first.slice(0, splitsPair ? length - 1 : length);
}

export function referencesOf(expression: Expression): string[] {
  const names: string[] = [];
  collectReferences(expression, names);
  return names;
}

function collectReferences(expression: Expression, names: string[]): void {
  if (expression.kind === 'rule') names.push(expression.name);
  else if (expression.kind === 'choice') for (const option of expression.options) collectReferences(option, names);
  else if (expression.kind === 'sequence') for (const item of expression.items) collectReferences(item, names);
  else if (expression.kind === 'repeat') collectReferences(expression.item, names);
}
