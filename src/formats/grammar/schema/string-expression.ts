// Converts strings with a length, pattern or format. A single pattern is converted directly. Several patterns, or a
// pattern with length bounds that it does not imply, become an automaton with one rule per state. So do excluded texts.

import { characterClass, choiceOf, type Expression, isNever, literal, rule, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { type Contradiction, contradiction } from '../limits/schema-error.ts';
import { type AutomatonState, buildAutomaton, type PatternContext } from '../pattern/automaton.ts';
import {
  allCodePoints,
  type CodePoints,
  codePointsOf,
  includes,
  intersect,
  negate,
  unite,
} from '../pattern/code-points.ts';
import {
  anyText,
  lengthsOf,
  type Pattern,
  type PatternNode,
  patternChoice,
  patternSequence,
  repeatsEmpty,
} from '../pattern/pattern.ts';
import { textsExcept } from '../pattern/texts-except.ts';

export interface StringConstraints {
  readonly patterns: readonly Pattern[];
  readonly min: number;
  readonly max: number;
  /** Texts that the string must not be. */
  readonly excluded: readonly string[];
}

const quote = literal('"');
const character = rule('char');

export function stringExpression(
  rules: Rules,
  constraints: StringConstraints,
  context: PatternContext,
): Expression | Contradiction {
  const { patterns, min, max, excluded } = constraints;
  if (min > max)
    return contradiction(context.path, `allows no string: minLength ${min} is greater than maxLength ${max}`);
  const [only] = patterns;
  const isBounded = min > 0 || max < Number.POSITIVE_INFINITY;
  if (!only && !isBounded) {
    if (excluded.length === 0) return rule('string');
    return sequence(quote, automatonExpression(rules, textsExcept(excluded, context)));
  }
  if (excluded.length > 0)
    return stringExpression(
      rules,
      { ...constraints, patterns: [...patterns, anyTextExcept(excluded)], excluded: [] },
      context,
    );
  if (!only) {
    return sequence(quote, rules.repeat(character, min, max, context.path), quote);
  }
  const lone = patterns.length === 1 ? withLength(only, min, max) : undefined;
  if (lone) return sequence(quote, patternExpression(rules, lone, context), quote);
  const states = buildAutomaton({ patterns, min, max }, context);
  if (states.length === 0) return contradiction(context.path, 'allows no string');
  return sequence(quote, automatonExpression(rules, states));
}

/** The pattern limited to these lengths, if no automaton is needed. */
function withLength(
  { node, isFramed, lookaheads, shortForm }: Pattern,
  min: number,
  max: number,
): PatternNode | undefined {
  if (shortForm && min === 0 && max === Number.POSITIVE_INFINITY) return shortForm;
  if (isFramed || lookaheads.length > 0 || repeatsEmpty(node)) return undefined;
  const lengths = lengthsOf(node);
  if (lengths.min >= min && lengths.max <= max) return node;
  if (node.kind !== 'repeat' || node.item.kind !== 'set') return undefined;
  const bounded = { ...node, min: Math.max(node.min, min), max: Math.min(node.max, max) };
  return bounded.min <= bounded.max ? bounded : undefined;
}

function patternExpression(rules: Rules, node: PatternNode, context: PatternContext): Expression {
  switch (node.kind) {
    case 'set':
      return node.points === allCodePoints ? character : choiceOf(charactersInJson(node.points));
    case 'sequence':
      return sequence(...node.items.map((item) => patternExpression(rules, item, context)));
    case 'choice':
      return choiceOf(node.options.map((option) => patternExpression(rules, option, context)));
    case 'repeat':
      return rules.repeat(patternExpression(rules, node.item, context), node.min, node.max, context.path);
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
    // One option per way to write a character, so that the choice can be factored.
    const options = edges.flatMap(({ points, target }) =>
      charactersInJson(points).map((one) => sequence(one, rule(nameOf(target)))),
    );
    rules.define(name, choiceOf([...options, ...(accepting ? [quote] : [])]));
  }
  return rule(nameOf(0));
}

/** Short escapes by code point. */
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
 * The ways to write these characters in JSON, one per character. Control characters without a short escape are used
 * only if there is nothing else.
 */
function charactersInJson(points: CodePoints): Expression[] {
  const letters = [...shortEscapes].flatMap(([code, letter]) => (includes(points, code) ? codePointsOf(letter) : []));
  const found = [
    characterClass(intersect(points, unescaped)),
    sequence(literal('\\'), characterClass(unite(letters.map((letter) => [letter, letter])))),
  ].filter((one) => !isNever(one));
  if (found.length > 0) return found;
  const codes = points.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  return codes.map((code) => literal(`\\u${code.toString(16).padStart(4, '0')}`));
}

const patternLiteral = (content: string): PatternNode =>
  patternSequence(
    Array.from(content, (one) => {
      const point = one.codePointAt(0) as number;
      return { kind: 'set', points: [[point, point]] } as const;
    }),
  );

/** Any text except these. */
function anyTextExcept(texts: readonly string[]): Pattern {
  return { node: anyText, lookaheads: [{ negated: true, node: patternChoice(texts.map(patternLiteral)) }] };
}
