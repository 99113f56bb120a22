// The rules that an expression refers to.

import type { Expression } from './expression.ts';

export function referencesOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'rule':
      return [expression.name];
    case 'choice':
      return expression.options.flatMap(referencesOf);
    case 'sequence':
      return expression.items.flatMap(referencesOf);
    case 'repeat':
      return referencesOf(expression.item);
    default:
      return [];
  }
}
