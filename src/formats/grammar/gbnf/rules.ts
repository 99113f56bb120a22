// Collects the rules of a grammar. Equal right-hand sides share a rule.

import { type Effort, unlimitedEffort } from '../../../base/effort.ts';
import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import { choiceOf, type Expression, empty, isEmpty, isNever, repeat, rule, sequence } from './expression.ts';

export interface Rules {
  readonly all: ReadonlyMap<string, Expression>;
  /** A name for a rule that is defined later: rules can refer to each other. */
  reserve(): string;
  define(name: string, expression: Expression): void;
  /** Makes the expression a rule, unless it is a single symbol. */
  share(expression: Expression): Expression;
  /** The same for strings in quotes that are none of these texts. */
  shareOther(expression: Expression, excluded: readonly string[]): Expression;
  readonly exclusions: Exclusions;
  /** Repeats an item, in a form that llama.cpp reads correctly and processes quickly. */
  repeat(item: Expression, min: number, max: number, path: string): Expression;
}

/** The texts that the strings of a rule never are, by the name of the rule. */
export type Exclusions = ReadonlyMap<string, ReadonlySet<string>>;

// llama.cpp refuses x{2000}, reads x{2001} as x*, and multiplies by the repetitions inside x unless x is a rule.
const maxRun = 256;
// Writing and comparing this many characters of an expression takes about as long as a step.
const charactersPerStep = 64;

export function createRules(effort: Effort = unlimitedEffort): Rules {
  const all = new Map<string, Expression>();
  const shared = new Map<string, Expression>();
  const exclusions = new Map<string, ReadonlySet<string>>();
  let count = 0;

  const reserve = (): string => {
    if (count >= grammarLimits.rules) throw schemaError('', `needs more than ${grammarLimits.rules} grammar rules`);
    count++;
    return `s${count}`;
  };

  const share = (expression: Expression): Expression => {
    if (isSymbol(expression) || isEmpty(expression) || isNever(expression)) return expression;
    const key = JSON.stringify(expression);
    effort.spend(1 + Math.floor(key.length / charactersPerStep));
    const known = shared.get(key);
    if (known) return known;
    const name = reserve();
    all.set(name, expression);
    shared.set(key, rule(name));
    return rule(name);
  };

  const blockOf = (unit: Expression): Expression => share(repeat(unit, maxRun, maxRun));

  const exactly = (unit: Expression, times: number): Expression =>
    times <= maxRun
      ? repeat(unit, times, times)
      : sequence(
          repeat(blockOf(unit), Math.floor(times / maxRun), Math.floor(times / maxRun)),
          repeat(unit, times % maxRun, times % maxRun),
        );

  const upTo = (unit: Expression, times: number): Expression => {
    if (times === Number.POSITIVE_INFINITY || times <= maxRun) return repeat(unit, 0, times);
    const blocks = Math.floor(times / maxRun);
    return choiceOf([
      sequence(repeat(blockOf(unit), 0, blocks - 1), repeat(unit, 0, maxRun - 1)),
      sequence(repeat(blockOf(unit), blocks, blocks), repeat(unit, 0, times % maxRun)),
    ]);
  };

  return {
    all,
    reserve,
    share,
    exclusions,
    shareOther(expression, excluded) {
      const result = share(expression);
      if (result.kind === 'rule' && excluded.length > 0) exclusions.set(result.name, new Set(excluded));
      return result;
    },
    define: (name, expression) => all.set(name, expression),
    repeat(item, min, max, path) {
      const highest = max === Number.POSITIVE_INFINITY ? min : max;
      if (highest > grammarLimits.repetition)
        throw schemaError(path, `counts to ${highest}; the limit is ${grammarLimits.repetition}`);
      if (max <= 1) return max === 0 ? empty : repeat(item, min, max);
      const unit = share(item);
      if (highest <= maxRun) return repeat(unit, min, max);
      return sequence(exactly(unit, min), upTo(unit, max - min));
    },
  };
}

function isSymbol(expression: Expression): boolean {
  if (expression.kind === 'literal') return expression.text.length === 1;
  return expression.kind === 'rule' || expression.kind === 'class';
}
