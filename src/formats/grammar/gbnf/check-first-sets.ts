// Checks the FIRST sets of a raw grammar. They show what llama.cpp cannot process in bounded time: left recursion,
// repetition of something that may be empty, and positions with so many possible next characters that each token is
// compared with thousands of parses.

import type { Expression } from './expression.ts';
import { grammarError, rawGrammarLimits } from './parse-gbnf.ts';

type RuleMap = ReadonlyMap<string, Expression>;

interface FirstSize {
  /** How many literals and classes can come first. */
  readonly width: number;
  /** How many optional items in a row can precede the first character. */
  readonly skips: number;
  readonly mayBeEmpty: boolean;
}

const emptySize: FirstSize = { width: 0, skips: 0, mayBeEmpty: true };

// The longest chain of rules that start with a rule.
const maxChain = 200;

export function checkFirstSets(rules: RuleMap): void {
  const known = new Map<string, FirstSize>();
  const open = new Set<string>();

  const sizeOfRule = (name: string): FirstSize => {
    const cached = known.get(name);
    if (cached) return cached;
    if (open.has(name)) throw grammarError('has a rule that starts with itself: left recursion is not supported');
    if (open.size > maxChain) throw grammarError('is nested too deeply');
    open.add(name);
    const result = sizeOf(rules.get(name) as Expression);
    open.delete(name);
    known.set(name, result);
    return result;
  };

  const sizeOf = (expression: Expression): FirstSize => {
    switch (expression.kind) {
      case 'rule':
        return sizeOfRule(expression.name);
      case 'sequence':
        return sizeOfSequence(expression.items);
      case 'choice': {
        const options = expression.options.map(sizeOf);
        return checkLimits({
          width: options.reduce((sum, option) => sum + option.width, 0),
          skips: options.reduce((max, option) => Math.max(max, option.skips), 0),
          mayBeEmpty: options.some(({ mayBeEmpty }) => mayBeEmpty),
        });
      }
      case 'repeat': {
        const item = sizeOf(expression.item);
        if (item.mayBeEmpty && expression.max > 1) throw grammarError('repeats something that may be empty');
        return { ...item, mayBeEmpty: item.mayBeEmpty || expression.min === 0 };
      }
      default:
        return { width: 1, skips: 0, mayBeEmpty: false };
    }
  };

  // Stops at the first item that cannot be empty: the rule itself may follow it.
  const sizeOfSequence = (items: readonly Expression[]): FirstSize => {
    let all = emptySize;
    for (const item of items) {
      all = checkLimits(concatenated(all, sizeOf(item)));
      if (!all.mayBeEmpty) return all;
    }
    return all;
  };

  /** Checks every position of a sequence, from its end. All rules are known by now. */
  const checkSuffixes = (items: readonly Expression[]): void => {
    let rest = emptySize;
    for (const item of items.toReversed()) rest = checkLimits(concatenated(sizeOf(item), rest));
  };

  for (const name of rules.keys()) sizeOfRule(name);
  for (const body of rules.values()) visitSequences(body, checkSuffixes);
}

function concatenated(first: FirstSize, second: FirstSize): FirstSize {
  if (!first.mayBeEmpty) return first;
  return {
    width: first.width + second.width,
    skips: first.skips + 1 + second.skips,
    mayBeEmpty: second.mayBeEmpty,
  };
}

function checkLimits(beginning: FirstSize): FirstSize {
  if (beginning.width > rawGrammarLimits.width)
    throw grammarError(`has a position with more than ${rawGrammarLimits.width} possible next items`);
  if (beginning.skips > rawGrammarLimits.skips)
    throw grammarError(`has more than ${rawGrammarLimits.skips} optional items in a row`);
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
