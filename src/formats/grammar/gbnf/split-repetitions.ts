// llama.cpp multiplies a repetition with the repetitions and choices inside it and refuses more than 2000, unless what is
// inside is a rule of its own.

import { type Expression, rule } from './expression.ts';

type RuleMap = ReadonlyMap<string, Expression>;

// A repetition counts as many times as it may repeat, so these stay well below.
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
        if (countInside(item) <= (expression.most > 1 ? 0 : maxInside)) return { ...expression, item };
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

/** Rules that llama.cpp makes of what is inside. */
function countInside(expression: Expression): number {
  switch (expression.kind) {
    case 'sequence':
      return expression.items.reduce((sum, item) => sum + countInside(item), 0);
    case 'choice':
      return expression.options.reduce((sum, option) => sum + countInside(option), 1);
    case 'repeat':
      return countInside(expression.item) + (Number.isFinite(expression.most) ? expression.most : expression.least + 1);
    default:
      return 0;
  }
}
