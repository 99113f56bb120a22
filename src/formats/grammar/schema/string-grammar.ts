// Strings of a certain length, pattern or format, as JSON writes them. A pattern alone is written as it is; several of
// them, or a pattern and a length that it does not keep by itself, become an automaton and then a rule for each state.

import { characters, choice, type Expression, isNever, rule, sequence, text } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { type AutomatonState, buildAutomaton, type Site } from '../pattern/automaton.ts';
import {
  allCodePoints,
  type CodePoints,
  codePointsOf,
  includes,
  intersect,
  negate,
  unite,
} from '../pattern/code-points.ts';
import { asChoice, inSequence, lengthsOf, type Pattern, type PatternNode, repeatsEmpty } from '../pattern/pattern.ts';
import { type Contradiction, contradiction } from '../schema-error.ts';

export interface StringConstraints {
  readonly patterns: readonly Pattern[];
  readonly least: number;
  readonly most: number;
}

const quote = text('"');
const character = rule('char');

export function stringExpression(
  rules: Rules,
  { patterns, least, most }: StringConstraints,
  site: Site,
): Expression | Contradiction {
  if (least > most)
    return contradiction(site.path, `allows no string: ${least} characters or more, and ${most} or fewer`);
  const [only] = patterns;
  if (!only) {
    if (least === 0 && most === Number.POSITIVE_INFINITY) return rule('string');
    return sequence(quote, rules.repeat(character, least, most, site.path), quote);
  }
  const lone = patterns.length === 1 ? withLength(only, least, most) : undefined;
  if (lone) return sequence(quote, patternExpression(rules, lone, site), quote);
  const states = buildAutomaton({ patterns, least, most }, site);
  if (states.length === 0) return contradiction(site.path, 'allows no string');
  return sequence(quote, automatonExpression(rules, states));
}

/** The pattern's texts of that length, where they can be written down directly. */
function withLength({ node, lookaheads, short }: Pattern, least: number, most: number): PatternNode | undefined {
  if (short && least === 0 && most === Number.POSITIVE_INFINITY) return short;
  if (lookaheads.length > 0 || repeatsEmpty(node)) return undefined;
  const lengths = lengthsOf(node);
  if (lengths.least >= least && lengths.most <= most) return node;
  if (node.kind !== 'repeat' || node.item.kind !== 'set') return undefined;
  const bounded = { ...node, least: Math.max(node.least, least), most: Math.min(node.most, most) };
  return bounded.least <= bounded.most ? bounded : undefined;
}

function patternExpression(rules: Rules, node: PatternNode, site: Site): Expression {
  switch (node.kind) {
    case 'set':
      return node.points === allCodePoints ? character : choice(charactersInJson(node.points));
    case 'sequence':
      return sequence(...node.items.map((item) => patternExpression(rules, item, site)));
    case 'choice':
      return choice(node.options.map((option) => patternExpression(rules, option, site)));
    case 'repeat':
      return rules.repeat(patternExpression(rules, node.item, site), node.least, node.most, site.path);
  }
}

function automatonExpression(rules: Rules, states: readonly AutomatonState[]): Expression {
  const names = new Map<number, string>();
  const nameOf = (state: number): string => {
    const name = names.get(state) ?? rules.reserve();
    names.set(state, name);
    return name;
  };
  nameOf(0);
  for (const [index, name] of names) {
    const { edges, accepting } = states[index] as AutomatonState;
    // Written out for each way to write a character, so that the choice can be factored: no two options begin alike.
    const options = edges.flatMap(({ points, target }) =>
      charactersInJson(points).map((one) => sequence(one, rule(nameOf(target)))),
    );
    rules.define(name, choice([...options, ...(accepting ? [quote] : [])]));
  }
  return rule(nameOf(0));
}

/** What stands behind the backslash, by the character that it means. */
const shortEscapes = new Map([
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x22, '"'],
  [0x5c, '\\'],
]);
const unescaped = negate([
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x7f, 0x7f],
]);

/**
 * The ways to write one of these characters, each of them in one way. Control characters without a short name only come
 * where there is nothing else.
 */
function charactersInJson(points: CodePoints): Expression[] {
  const letters = [...shortEscapes].flatMap(([code, letter]) => (includes(points, code) ? codePointsOf(letter) : []));
  const found = [
    characters(intersect(points, unescaped)),
    sequence(text('\\'), characters(unite(letters.map((letter) => [letter, letter])))),
  ].filter((one) => !isNever(one));
  if (found.length > 0) return found;
  const codes = points.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  return codes.map((code) => text(`\\u${code.toString(16).padStart(4, '0')}`));
}

const literal = (content: string): PatternNode =>
  inSequence(
    Array.from(content, (one) => {
      const point = one.codePointAt(0) as number;
      return { kind: 'set', points: [[point, point]] } as const;
    }),
  );

/** Any text but these. */
export function anythingBut(texts: readonly string[], anyText: PatternNode): Pattern {
  return { node: anyText, lookaheads: [{ negated: true, node: asChoice(texts.map(literal)) }] };
}
