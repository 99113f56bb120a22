// The rules of a grammar that is being built. Equal right sides share a rule.

import { limits } from '../limits.ts';
import { schemaError } from '../schema-error.ts';
import { choice, type Expression, isNever, isNothing, nothing, repeat, rule, sequence } from './expression.ts';

export interface Rules {
  readonly all: ReadonlyMap<string, Expression>;
  /** A name for a rule that is written later: rules may need each other. */
  reserve(): string;
  define(name: string, expression: Expression): void;
  /** The expression as a rule, where it is more than a symbol. */
  share(expression: Expression): Expression;
  /** So many times in a row, in a form that llama.cpp reads as meant and follows quickly. */
  repeat(item: Expression, least: number, most: number, path: string): Expression;
}

// llama.cpp refuses x{2000}, silently takes x{2001} for x*, and multiplies with repetitions inside x unless x is a rule.
const maxRun = 256;

export function createRules(): Rules {
  const all = new Map<string, Expression>();
  const shared = new Map<string, Expression>();
  let count = 0;

  const reserve = (): string => {
    if (count >= limits.rules) throw schemaError('', `needs more than ${limits.rules} grammar rules`);
    count++;
    return `s${count}`;
  };

  const share = (expression: Expression): Expression => {
    if (isSymbol(expression) || isNothing(expression) || isNever(expression)) return expression;
    const key = JSON.stringify(expression);
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
    return choice([
      sequence(repeat(blockOf(unit), 0, blocks - 1), repeat(unit, 0, maxRun - 1)),
      sequence(repeat(blockOf(unit), blocks, blocks), repeat(unit, 0, times % maxRun)),
    ]);
  };

  return {
    all,
    reserve,
    share,
    define: (name, expression) => all.set(name, expression),
    repeat(item, least, most, path) {
      const highest = most === Number.POSITIVE_INFINITY ? least : most;
      if (highest > limits.repetition)
        throw schemaError(path, `counts to ${highest}; the limit is ${limits.repetition}`);
      if (most <= 1) return most === 0 ? nothing : repeat(item, least, most);
      const unit = share(item);
      if (highest <= maxRun) return repeat(unit, least, most);
      return sequence(exactly(unit, least), upTo(unit, most - least));
    },
  };
}

function isSymbol(expression: Expression): boolean {
  if (expression.kind === 'text') return expression.text.length === 1;
  return expression.kind === 'rule' || expression.kind === 'class';
}
