// Refuses grammars that are too ambiguous. llama.cpp follows every parse of a partial answer. If two branches of a
// recursive schema start the same way, the number of parses doubles with each level of the answer, and a dozen levels
// block the runner for all requests.

import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import type { Expression } from './expression.ts';
import { referencesOf } from './expression.ts';
import { createFirstSets, type FirstSet } from './first-sets.ts';
import { groupOverlapping } from './group-overlapping.ts';
import type { Exclusions } from './rules.ts';

type RuleMap = ReadonlyMap<string, Expression>;

export function checkAmbiguity(rules: RuleMap, exclusions: Exclusions): void {
  const order = inDependencyOrder(rules);
  const scope = {
    rules,
    parses: new Map<string, number>(),
    components: findComponents(rules, order),
    firstSetOf: createFirstSets(rules, exclusions),
  };
  for (const name of order) {
    const count = countParses(rules.get(name) as Expression, { ...scope, name });
    if (count > grammarLimits.parses)
      throw schemaError('', `is too ambiguous: a partial answer could have more than ${grammarLimits.parses} parses`);
    scope.parses.set(name, count);
  }
}

/** Each rule after the rules that it refers to, as far as cycles allow. */
function inDependencyOrder(rules: RuleMap): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const pending: { readonly name: string; readonly done: boolean }[] = [{ name: 'root', done: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.done) order.push(next.name);
    else if (!seen.has(next.name) && rules.has(next.name)) {
      seen.add(next.name);
      pending.push({ name: next.name, done: true });
      for (const name of referencesOf(rules.get(next.name) as Expression)) pending.push({ name, done: false });
    }
  }
  return order;
}

/** Strongly connected components: rules that refer to each other have the same number. */
function findComponents(rules: RuleMap, order: readonly string[]): ReadonlyMap<string, number> {
  const users = new Map(order.map((name): [string, string[]] => [name, []]));
  for (const name of order) for (const used of referencesOf(rules.get(name) as Expression)) users.get(used)?.push(name);
  const components = new Map<string, number>();
  for (const [number, start] of [...order].reverse().entries()) {
    const pending = [start];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (components.has(name)) continue;
      components.set(name, number);
      pending.push(...(users.get(name) ?? []));
    }
  }
  return components;
}

interface Scope {
  readonly name: string;
  readonly rules: RuleMap;
  readonly parses: ReadonlyMap<string, number>;
  readonly components: ReadonlyMap<string, number>;
  readonly firstSetOf: (expression: Expression) => FirstSet;
}

function countParses(expression: Expression, scope: Scope): number {
  switch (expression.kind) {
    case 'rule':
      return scope.parses.get(expression.name) ?? 1;
    case 'sequence':
      return expression.items.reduce((max, item) => Math.max(max, countParses(item, scope)), 1);
    case 'repeat':
      return countParses(expression.item, scope);
    case 'choice':
      return countChoice(expression.options, scope);
    default:
      return 1;
  }
}

function countChoice(options: readonly Expression[], scope: Scope): number {
  // Only options with rules stay undecided for long; literals and classes end with the next characters.
  const open = options.filter((option) => referencesOf(option).some((name) => scope.rules.has(name)));
  const groups = open.length > 1 ? groupOverlapping(open.map(scope.firstSetOf)) : [open.keys()];
  let max = 1;
  for (const indexes of groups) {
    const group = Array.from(indexes, (index) => open[index] as Expression);
    if (group.length > 1 && group.filter((option) => isRecursive(option, scope)).length > 1)
      throw schemaError(
        '',
        'is recursive through branches that start the same way: make their first property required, with different values',
      );
    max = Math.max(
      max,
      group.reduce((sum, option) => sum + countParses(option, scope), 0),
    );
  }
  return max;
}

/** Whether the option leads back to the rule that contains it. */
function isRecursive(option: Expression, { name, components }: Scope): boolean {
  return referencesOf(option).some((used) => components.get(used) === components.get(name));
}
