// Grammars of plain texts: those that a regular expression matches, and those of a list.

import { type Effort, unlimitedEffort } from '../../base/effort.ts';
import type { HearthError } from '../../base/errors.ts';
import {
  characterClass,
  choiceOf,
  type Expression,
  empty,
  isNever,
  literal,
  rule,
  sequence,
} from './gbnf/expression.ts';
import { createRules, type Rules } from './gbnf/rules.ts';
import { writeGrammar } from './gbnf/write-grammar.ts';
import { createWorkBudget } from './limits/limits.ts';
import { schemaError } from './limits/schema-error.ts';
import { type AutomatonState, buildAutomaton, type PatternContext } from './pattern/automaton.ts';
import { intersect, negate } from './pattern/code-points.ts';
import { parseWholePattern } from './pattern/parse-pattern.ts';

/** A regular expression that matches the entire text, or the texts themselves. */
export type TextRule = { readonly pattern: string } | { readonly choices: readonly string[] };

export function textToGrammar(given: TextRule, effort: Effort = unlimitedEffort): string {
  return 'pattern' in given ? patternToGrammar(given.pattern, effort) : choicesToGrammar(given.choices, effort);
}

function patternToGrammar(source: string, effort: Effort): string {
  const path = 'the regular expression';
  const rules = createRules(effort);
  const root = patternExpression(source, rules, { path, budget: createWorkBudget(effort) });
  const grammar = writeGrammar(rules.all, root, effort);
  if (grammar === undefined) throw noText(path);
  return grammar;
}

/** The texts that the regular expression matches entirely. */
export function patternExpression(source: string, rules: Rules, { path, budget }: PatternContext): Expression {
  const pattern = parseWholePattern(source, path);
  const states = buildAutomaton({ patterns: [pattern], min: 0, max: Number.POSITIVE_INFINITY }, { path, budget });
  const names = states.map(() => rules.reserve());
  for (const [index, state] of states.entries()) rules.define(names[index] as string, stateExpression(state, names));
  const [start] = names;
  if (start === undefined) throw noText(path);
  return rule(start);
}

const noText = (path: string): HearthError => schemaError(path, 'matches no text');

// Control characters that no text has.
const textCharacters = negate([
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x7f],
]);

function stateExpression({ edges, accepting }: AutomatonState, names: readonly string[]): Expression {
  const options = edges
    .map(({ points, target }) => [characterClass(intersect(points, textCharacters)), target] as const)
    .filter(([characters]) => !isNever(characters))
    .map(([characters, target]) => sequence(characters, rule(names[target] as string)));
  return choiceOf(accepting ? [...options, empty] : options);
}

const choiceLimits = { count: 1000, characters: 65_536 };

function choicesToGrammar(choices: readonly string[], effort: Effort): string {
  const path = 'the list of choices';
  const characters = choices.reduce((sum, { length }) => sum + length, 0);
  if (choices.length > choiceLimits.count || characters > choiceLimits.characters)
    throw schemaError(path, `has more than ${choiceLimits.count} texts or ${choiceLimits.characters} characters`);
  effort.spend(characters);
  const grammar = writeGrammar(new Map(), choiceOf([...new Set(choices)].map(literal)), effort);
  if (grammar === undefined) throw schemaError(path, 'is empty');
  return grammar;
}
