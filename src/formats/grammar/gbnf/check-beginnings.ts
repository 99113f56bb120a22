// A grammar written by hand can ask for what llama.cpp never finishes: rules that begin with themselves, repetitions of
// nothing, and places where so much can come next that every token is held against thousands of readings. All of these
// show in what expressions can begin with.

import type { Expression } from './expression.ts';
import { gbnfLimits, grammarError } from './parse-gbnf.ts';

type RuleMap = ReadonlyMap<string, Expression>;

interface Beginning {
  /** How many characters and classes can come first. */
  readonly width: number;
  /** How many things in a row may be left out before one that comes first. */
  readonly skips: number;
  readonly mayBeEmpty: boolean;
}

const nothing: Beginning = { width: 0, skips: 0, mayBeEmpty: true };

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
        return checked({
          width: options.reduce((sum, option) => sum + option.width, 0),
          skips: options.reduce((most, option) => Math.max(most, option.skips), 0),
          mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty),
        });
      }
      case 'repeat': {
        const item = of(expression.item);
        if (item.mayBeEmpty && expression.most > 1) throw grammarError('repeats something that may be empty');
        return { ...item, mayBeEmpty: item.mayBeEmpty || expression.least === 0 };
      }
      default:
        return { width: 1, skips: 0, mayBeEmpty: false };
    }
  };

  // What stands behind something that cannot be empty is not a beginning, and may well be the rule itself.
  const ofSequence = (items: readonly Expression[]): Beginning => {
    let all = nothing;
    for (const item of items) {
      all = checked(joined(all, of(item)));
      if (!all.mayBeEmpty) return all;
    }
    return all;
  };

  /** What can come next at every place of a sequence, from its end. By now every rule is known. */
  const checkPlaces = (items: readonly Expression[]): void => {
    let rest = nothing;
    for (const item of items.toReversed()) rest = checked(joined(of(item), rest));
  };

  for (const name of rules.keys()) ofRule(name);
  for (const body of rules.values()) visitSequences(body, checkPlaces);
}

function joined(first: Beginning, second: Beginning): Beginning {
  if (!first.mayBeEmpty) return first;
  return {
    width: first.width + second.width,
    skips: first.skips + 1 + second.skips,
    mayBeEmpty: second.mayBeEmpty,
  };
}

function checked(beginning: Beginning): Beginning {
  if (beginning.width > gbnfLimits.width)
    throw grammarError(`has a place at which more than ${gbnfLimits.width} things can come next`);
  if (beginning.skips > gbnfLimits.skips)
    throw grammarError(`has more than ${gbnfLimits.skips} things in a row that may be left out`);
  return beginning;
}

function visitSequences(expression: Expression, visit: (items: readonly Expression[]) => void): void {
  if (expression.kind === 'sequence') {
    visit(expression.items);
    for (const item of expression.items) visitSequences(item, visit);
  }
  if (expression.kind === 'choice') for (const option of expression.options) visitSequences(option, visit);
  if (expression.kind === 'repeat') visitSequences(expression.item, visit);
}
