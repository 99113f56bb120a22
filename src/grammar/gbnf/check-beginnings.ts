// A grammar written by hand can ask for what llama.cpp never finishes: rules that begin with themselves, repetitions of
// nothing, and places where so much can come next that every token is held against thousands of readings. All of these
// show in what expressions can begin with.

import { limits } from '../limits.ts';
import type { Expression } from './expression.ts';
import { grammarError } from './parse-gbnf.ts';

type RuleMap = ReadonlyMap<string, Expression>;

interface Beginning {
  /** How many characters and classes can come first. */
  readonly width: number;
  readonly mayBeEmpty: boolean;
}

// Rules that begin with rules that begin with rules.
const deepestChain = 200;

export function checkBeginnings(rules: RuleMap): void {
  const known = new Map<string, Beginning>();
  const open = new Set<string>();

  const ofRule = (name: string): Beginning => {
    const before = known.get(name);
    if (before) return before;
    if (open.has(name)) throw grammarError('has a rule that begins with itself: left recursion cannot be followed');
    if (open.size > deepestChain) throw grammarError('is nested too deeply');
    open.add(name);
    const result = of(rules.get(name) as Expression);
    open.delete(name);
    known.set(name, result);
    return result;
  };

  const of = (expression: Expression): Beginning => {
    switch (expression.kind) {
      case 'rule':
        return ofRule(expression.name);
      case 'sequence':
        return ofSequence(expression.items);
      case 'choice': {
        const options = expression.options.map(of);
        const width = checkWidth(options.reduce((sum, option) => sum + option.width, 0));
        return { width, mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty) };
      }
      case 'repeat': {
        const { width, mayBeEmpty } = of(expression.item);
        if (mayBeEmpty && expression.most > 1) throw grammarError('repeats something that may be empty');
        return { width, mayBeEmpty: mayBeEmpty || expression.least === 0 };
      }
      default:
        return { width: 1, mayBeEmpty: false };
    }
  };

  // What stands behind something that cannot be empty is not a beginning, and may well be the rule itself.
  const ofSequence = (items: readonly Expression[]): Beginning => {
    let width = 0;
    for (const item of items) {
      const own = of(item);
      width = checkWidth(width + own.width);
      if (!own.mayBeEmpty) return { width, mayBeEmpty: false };
    }
    return { width, mayBeEmpty: true };
  };

  /** What can come next at every place of a sequence, from its end. By now every rule is known. */
  const checkPlaces = (items: readonly Expression[]): void => {
    let next = 0;
    for (const item of items.toReversed()) {
      const { width, mayBeEmpty } = of(item);
      next = checkWidth(width + (mayBeEmpty ? next : 0));
    }
  };

  for (const name of rules.keys()) ofRule(name);
  for (const body of rules.values()) visitSequences(body, checkPlaces);
}

function checkWidth(width: number): number {
  if (width <= limits.readings) return width;
  throw grammarError(`has a place at which more than ${limits.readings} things can come next`);
}

function visitSequences(expression: Expression, visit: (items: readonly Expression[]) => void): void {
  if (expression.kind === 'sequence') {
    visit(expression.items);
    for (const item of expression.items) visitSequences(item, visit);
  }
  if (expression.kind === 'choice') for (const option of expression.options) visitSequences(option, visit);
  if (expression.kind === 'repeat') visitSequences(expression.item, visit);
}
