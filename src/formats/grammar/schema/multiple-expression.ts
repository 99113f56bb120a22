// Converts multiples of an integer between two bounds to an automaton over their digits, with one rule per state. A
// state holds the remainder of the digits so far and their order relative to the digits of both bounds.

import { characterClass, choiceOf, type Expression, literal, never, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { grammarLimits } from '../limits/limits.ts';
import type { PatternContext } from '../pattern/automaton.ts';
import { type CodePoints, singlePoint, unite } from '../pattern/code-points.ts';

/** Whether multiples of this number can be converted: trailing zeros of the number need no states. */
export function isEnforcedMultiple(value: unknown): value is number {
  if (!Number.isSafeInteger(value) || (value as number) < 1) return false;
  return withoutZeros(value as number).factor <= grammarLimits.multiple;
}

function withoutZeros(multiple: number): { readonly factor: number; readonly zeros: number } {
  let factor = multiple;
  let zeros = 0;
  for (; factor % 10 === 0; factor /= 10) zeros++;
  return { factor, zeros };
}

export interface Multiples {
  /** Positive bounds. */
  readonly from: bigint;
  readonly to: bigint;
  readonly multiple: number;
}

type Order = -1 | 0 | 1;

/** Matches no text if there is no multiple between the bounds. */
export function multiplesExpression(
  rules: Rules,
  { from, to, multiple }: Multiples,
  { path, budget }: PatternContext,
): Expression {
  const { factor, zeros } = withoutZeros(multiple);
  const scale = 10n ** BigInt(zeros);
  const [lowest, highest] = [(from + scale - 1n) / scale, to / scale];
  if (lowest > highest) return never;
  const [low, high] = [String(lowest), String(highest)];
  const end = literal('0'.repeat(zeros));
  const known = new Map<string, Expression>();

  /** The digits after the first `length` ones, which have this remainder and these orders. */
  const state = (length: number, remainder: number, lowOrder: Order, highOrder: Order): Expression => {
    const key = [length, remainder, lowOrder, highOrder].join();
    const found = known.get(key) ?? rules.share(describe(length, remainder, lowOrder, highOrder));
    known.set(key, found);
    return found;
  };

  const describe = (length: number, remainder: number, lowOrder: Order, highOrder: Order): Expression => {
    budget.spend(10, path);
    const accepts = remainder === 0 && (length > low.length || (length === low.length && lowOrder >= 0));
    const edges = new Map<string, { readonly points: CodePoints; readonly target: Expression }>();
    for (const digit of length === 0 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const target = afterDigit(digit, length, remainder, lowOrder, highOrder);
      const key = JSON.stringify(target);
      edges.set(key, { points: unite(edges.get(key)?.points ?? [], singlePoint(0x30 + digit)), target });
    }
    const options = [...edges.values()].map(({ points, target }) => sequence(characterClass(points), target));
    return choiceOf(accepts ? [...options, end] : options);
  };

  const afterDigit = (digit: number, length: number, remainder: number, lowOrder: Order, highOrder: Order) => {
    const nextHigh = orderOf(highOrder, digit, high, length, '9', -1);
    if (length === high.length || (length + 1 === high.length && nextHigh === 1)) return never;
    const nextLow = orderOf(lowOrder, digit, low, length, '0', 1);
    return state(length + 1, (10 * remainder + digit) % factor, nextLow, nextHigh);
  };
  return describe(0, 0, 0, 0);
}

/**
 * The order after one more digit. If only the `neutral` digit follows in the bound, every continuation is on the
 * `inner` side.
 */
function orderOf(order: Order, digit: number, bound: string, index: number, neutral: string, inner: Order): Order {
  if (order !== 0) return index >= bound.length ? inner : order;
  const next = index < bound.length ? (Math.sign(digit - Number(bound[index])) as Order) : inner;
  return next === 0 && bound.slice(index + 1).replaceAll(neutral, '') === '' ? inner : next;
}
