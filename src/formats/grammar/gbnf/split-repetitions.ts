// Moves the contents of repetitions into separate rules. llama.cpp multiplies a repetition by the repetitions and
// choices inside it, unless the contents are a rule, and refuses more than 2000.

import { type Expression, rule } from './expression.ts';

type RuleMap = ReadonlyMap<string, Expression>;

// A repetition counts once for each time it can repeat, so this stays well below 2000.
const maxInside = 64;

export function splitRepetitions(rules: RuleMap): RuleMap {
  const result = new Map<string, Expression>();
  let count = 0;

  const split = (expression: Expression): Expression => {
    switch (expression.kind) {
      case 'sequence':
        return { kind: 'sequence', items: expression.items.map(split) };
      case 'choice':
        return { kind: 'choice', options: expression.options.map(split) };
      case 'repeat': {
        const item = split(expression.item);
        if (countInside(item) <= (expression.max > 1 ? 0 : maxInside)) return { ...expression, item };
        count++;
        result.set(`r${count}`, item);
        return { ...expression, item: rule(`r${count}`) };
      }
      default:
        return expression;
    }
  };

  for (const [name, body] of rules) {
    result.set(name, body);
    result.set(name, split(body));
  }
  return result;
}

/** The number of rules that llama.cpp makes from an expression. */
function countInside(expression: Expression): number {
  switch (expression.kind) {
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + countInside(item), 0);
    case 'choice':
      return expression.options.reduce((sum, option) => sum + countInside(option), 1);
    case 'repeat':
      return countInside(expression.item) + (Number.isFinite(expression.max) ? expression.max : expression.min + 1);
    default:
      return 0;
  }
}
