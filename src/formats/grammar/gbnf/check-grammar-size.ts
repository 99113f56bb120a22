// Refuses grammars that llama.cpp takes too long to load: it expands repetitions, and its check for left recursion
// visits every path to a first character.

import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import type { Expression } from './expression.ts';
import { isJsonRule } from './json.ts';

type RuleMap = ReadonlyMap<string, Expression>;

export function checkGrammarSize(rules: RuleMap): void {
  let elements = 0;
  for (const body of rules.values()) elements += countElements(body);
  if (elements > grammarLimits.elements)
    throw schemaError(
      '',
      `is too large: its grammar has ${elements} symbols, and the limit is ${grammarLimits.elements}`,
    );

  const visits = createVisitCounter(rules);
  let sum = 0;
  for (const name of rules.keys()) sum += visits(name);
  if (sum > grammarLimits.firstVisits) throw schemaError('', 'has too many branches for llama.cpp');
}

function countElements(expression: Expression): number {
  switch (expression.kind) {
    case 'literal':
      return expression.text.length;
    case 'class':
      return expression.points.length;
    case 'rule':
      return 1;
    case 'repeat': {
      const { item, min, max } = expression;
      const times = max === Number.POSITIVE_INFINITY ? min + 1 : max;
      const isSymbol = item.kind === 'class' || item.kind === 'rule';
      return countElements(item) + 2 * times * (isSymbol ? countElements(item) : 1);
    }
    case 'choice':
      return expression.options.reduce((sum, option) => sum + 1 + countElements(option), 0);
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + countElements(item), 0);
  }
}

interface Walk {
  readonly visits: number;
  readonly mayBeEmpty: boolean;
}

// An upper bound for all JSON rules: `value` visits the most.
const jsonVisits = 12;
const maxWalkDepth = 1_000;

/** Counts the visits of the walk from a rule to its first characters. Rules count once per path. */
function createVisitCounter(rules: RuleMap): (name: string) => number {
  const known = new Map<string, Walk>();

  const walkRule = (name: string, depth: number): Walk => {
    if (isJsonRule(name)) return { visits: jsonVisits, mayBeEmpty: name === 'ws' };
    const cached = known.get(name);
    if (cached) return cached;
    if (depth > maxWalkDepth) throw schemaError('', 'is nested too deeply for llama.cpp');
    const { visits, mayBeEmpty } = walk(rules.get(name) as Expression, depth + 1);
    const result = { visits: visits + 1, mayBeEmpty };
    known.set(name, result);
    return result;
  };

  const walk = (expression: Expression, depth: number): Walk => {
    switch (expression.kind) {
      case 'rule':
        return walkRule(expression.name, depth);
      case 'repeat': {
        const { visits, mayBeEmpty } = walk(expression.item, depth);
        return { visits: visits + 1, mayBeEmpty: mayBeEmpty || expression.min === 0 };
      }
      case 'choice': {
        const options = expression.options.map((option) => walk(option, depth));
        const visits = options.reduce((sum, option) => sum + option.visits, 1);
        return { visits, mayBeEmpty: options.some((option) => option.mayBeEmpty) };
      }
      case 'sequence': {
        let visits = 0;
        for (const item of expression.items) {
          const first = walk(item, depth);
          visits += first.visits;
          if (!first.mayBeEmpty) return { visits, mayBeEmpty: false };
        }
        return { visits, mayBeEmpty: true };
      }
      default:
        return { visits: 0, mayBeEmpty: false };
    }
  };

  return (name) => walkRule(name, 0).visits;
}
