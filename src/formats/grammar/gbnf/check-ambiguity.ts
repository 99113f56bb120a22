// llama.cpp follows every reading of an unfinished answer. Where two branches of a recursive schema begin alike, the
// readings double with every level the answer goes down, and a dozen levels stop the engine for everybody: such
// grammars are refused.

import { limits } from '../limits.ts';
import { schemaError } from '../schema-error.ts';
import type { Expression } from './expression.ts';
import { beginAlike, createFirstTexts, type FirstTexts } from './first-texts.ts';
import { referencesOf } from './references.ts';

type RuleMap = ReadonlyMap<string, Expression>;

export function checkAmbiguity(rules: RuleMap): void {
  const order = inOrderOfNeed(rules);
  const scope = {
    rules,
    readings: new Map<string, number>(),
    circles: findCircles(rules, order),
    firstTextsOf: createFirstTexts(rules),
  };
  for (const name of order) {
    const count = countReadings(rules.get(name) as Expression, { ...scope, name });
    if (count > limits.readings)
      throw schemaError(
        '',
        `is too ambiguous: an unfinished answer could be read in more than ${limits.readings} ways`,
      );
    scope.readings.set(name, count);
  }
}

/** Rules after the rules that they need, as far as circles allow. */
function inOrderOfNeed(rules: RuleMap): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const waiting: { readonly name: string; readonly done: boolean }[] = [{ name: 'root', done: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.done) order.push(next.name);
    else if (!seen.has(next.name) && rules.has(next.name)) {
      seen.add(next.name);
      waiting.push({ name: next.name, done: true });
      for (const name of referencesOf(rules.get(next.name) as Expression)) waiting.push({ name, done: false });
    }
  }
  return order;
}

/** A number for each rule, the same for rules that need each other. */
function findCircles(rules: RuleMap, order: readonly string[]): ReadonlyMap<string, number> {
  const users = new Map(order.map((name): [string, string[]] => [name, []]));
  for (const name of order) for (const used of referencesOf(rules.get(name) as Expression)) users.get(used)?.push(name);
  const circles = new Map<string, number>();
  for (const [number, start] of [...order].reverse().entries()) {
    const waiting = [start];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (circles.has(name)) continue;
      circles.set(name, number);
      waiting.push(...(users.get(name) ?? []));
    }
  }
  return circles;
}

interface Scope {
  readonly name: string;
  readonly rules: RuleMap;
  readonly readings: ReadonlyMap<string, number>;
  readonly circles: ReadonlyMap<string, number>;
  readonly firstTextsOf: (expression: Expression) => FirstTexts;
}

function countReadings(expression: Expression, scope: Scope): number {
  switch (expression.kind) {
    case 'rule':
      return scope.readings.get(expression.name) ?? 1;
    case 'sequence':
      return expression.items.reduce((most, item) => Math.max(most, countReadings(item, scope)), 1);
    case 'repeat':
      return countReadings(expression.item, scope);
    case 'choice':
      return countChoice(expression.options, scope);
    default:
      return 1;
  }
}

function countChoice(options: readonly Expression[], scope: Scope): number {
  // Texts and classes are read at once; what goes on into rules is what can stay undecided.
  const open = options.filter((option) => referencesOf(option).some((name) => scope.rules.has(name)));
  const groups = groupAlike(open.map((option) => ({ option, first: scope.firstTextsOf(option) })));
  let most = 1;
  for (const group of groups) {
    if (group.length > 1 && group.filter((option) => leadsBack(option, scope)).length > 1)
      throw schemaError(
        '',
        'is recursive through branches that begin alike: let the first member, required, tell them apart',
      );
    most = Math.max(
      most,
      group.reduce((sum, option) => sum + countReadings(option, scope), 0),
    );
  }
  return most;
}

interface Opening {
  readonly option: Expression;
  readonly first: FirstTexts;
}

function groupAlike(openings: readonly Opening[]): Expression[][] {
  const groups: Opening[][] = [];
  for (const opening of openings) {
    const alike = groups.filter((group) => group.some(({ first }) => beginAlike(first, opening.first)));
    const merged = [opening, ...alike.flat()];
    for (const group of alike) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups.map((group) => group.map(({ option }) => option));
}

/** Whether the option leads back to the rule that it stands in. */
function leadsBack(option: Expression, { name, circles }: Scope): boolean {
  return referencesOf(option).some((used) => circles.get(used) === circles.get(name));
}
