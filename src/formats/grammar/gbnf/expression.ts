// Right sides of grammar rules as data. Choices are factored while they are built: what several options begin with is
// written once, because llama.cpp follows every option that an unfinished answer could still be.

import type { CodePoints } from '../pattern/code-points.ts';

export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly points: CodePoints }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly item: Expression; readonly least: number; readonly most: number }
  | { readonly kind: 'rule'; readonly name: string };

/** Matches the empty text. */
export const nothing: Expression = { kind: 'sequence', items: [] };
/** Matches no text at all. */
export const never: Expression = { kind: 'choice', options: [] };

export const text = (content: string): Expression => (content === '' ? nothing : { kind: 'text', text: content });
export function characters(points: CodePoints): Expression {
  const [first] = points;
  if (!first) return never;
  return points.length === 1 && first[0] === first[1]
    ? text(String.fromCodePoint(first[0]))
    : { kind: 'class', points };
}
export const rule = (name: string): Expression => ({ kind: 'rule', name });
export const whiteSpace = rule('ws');

export const isNothing = (expression: Expression): boolean =>
  expression.kind === 'sequence' && expression.items.length === 0;
export const isNever = (expression: Expression): boolean =>
  expression.kind === 'choice' && expression.options.length === 0;

export function sequence(...parts: readonly Expression[]): Expression {
  const items: Expression[] = [];
  for (const item of parts.flatMap((part) => (part.kind === 'sequence' ? part.items : [part]))) {
    const last = items.at(-1);
    if (last?.kind === 'text' && item.kind === 'text') items[items.length - 1] = text(last.text + item.text);
    else items.push(item);
  }
  if (items.length === 0) return nothing;
  if (items.some(isNever)) return never;
  const [only] = items;
  return items.length === 1 && only ? only : { kind: 'sequence', items };
}

/** For counts that a person would write; createRules has the one for counts from a schema. */
export function repeat(item: Expression, least: number, most: number): Expression {
  if (most < least) return never;
  if (most === 0 || isNothing(item)) return nothing;
  if (isNever(item)) return least === 0 ? nothing : never;
  if (least === 1 && most === 1) return item;
  if (item.kind === 'repeat' && most === 1 && item.least <= 1) return { ...item, least: 0 };
  return { kind: 'repeat', item, least, most };
}

export const optional = (item: Expression): Expression => repeat(item, 0, 1);

// Deeper, options stand side by side: nesting has to end somewhere.
const deepestFactor = 48;

export function choice(options: readonly Expression[], depth = 0): Expression {
  const flat = options.flatMap((option) => (option.kind === 'choice' ? option.options : [option]));
  const filled = flat.filter((option) => !isNothing(option));
  if (filled.length < flat.length) return filled.length === 0 ? nothing : optional(choice(filled, depth));
  const groups = depth > deepestFactor ? flat.map((option) => [option]) : groupByHead(flat);
  const factored = groups.map((group) => (group.length === 1 ? (group[0] as Expression) : factor(group, depth)));
  const [only] = factored;
  return factored.length === 1 && only ? only : { kind: 'choice', options: factored };
}

const headOf = (option: Expression): Expression =>
  option.kind === 'sequence' ? (option.items[0] as Expression) : option;

const withoutHead = (option: Expression): Expression =>
  option.kind === 'sequence' ? sequence(...option.items.slice(1)) : nothing;

function groupByHead(options: readonly Expression[]): Expression[][] {
  const groups = new Map<string, Expression[]>();
  for (const option of options) {
    const head = headOf(option);
    const key =
      head.kind === 'text' ? `"${String.fromCodePoint(head.text.codePointAt(0) as number)}` : JSON.stringify(head);
    const group = groups.get(key);
    if (group) group.push(option);
    else groups.set(key, [option]);
  }
  return [...groups.values()];
}

function factor(group: readonly Expression[], depth: number): Expression {
  const head = headOf(group[0] as Expression);
  if (head.kind !== 'text') return sequence(head, choice(group.map(withoutHead), depth + 1));
  const texts = group.map((option) => (headOf(option) as { text: string }).text);
  const prefix = commonPrefix(texts);
  const rests = group.map((option, index) =>
    sequence(text((texts[index] as string).slice(prefix.length)), withoutHead(option)),
  );
  return sequence(text(prefix), choice(rests, depth + 1));
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
