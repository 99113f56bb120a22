// Converts the members of an object, in their order, with optional members and bounds on their number. The result is a
// chain of rules: one for each member and each relevant number of members before it.

import { choiceOf, type Expression, empty, never, optional, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import { comma } from './json-value.ts';

export interface MemberPlan {
  readonly members: readonly { readonly expression: Expression; readonly required: boolean }[];
  /** An undeclared member. Any number of them may follow. */
  readonly extra: Expression | undefined;
  readonly min: number;
  readonly max: number;
}

const maxLine = 32;

/** The content between the braces. */
export function memberChain(rules: Rules, plan: MemberPlan, path: string): Expression {
  const { members, min, max } = plan;
  const counted = max === Number.POSITIVE_INFINITY ? Math.max(1, min) : max;
  const highest = Math.max(1, Math.min(counted, members.length));
  if (highest * members.length > grammarLimits.memberStates)
    throw schemaError(path, 'has too many members for minProperties and maxProperties');

  let after = Array.from({ length: highest + 1 }, (_, before) => extras(rules, plan, before, path));
  for (const [index, member] of [...members.entries()].reverse()) {
    const next = after;
    after = next.map((without, before) => {
      const taken = before >= max ? never : (next[Math.min(before + 1, highest)] as Expression);
      const own = sequence(before === 0 ? empty : comma, member.expression);
      // Required members are written inline, so that choices between objects can be factored; long lines are split.
      if (member.required) return sequence(own, index % maxLine === maxLine - 1 ? rules.share(taken) : taken);
      return skippable(own, rules.share(taken), rules.share(without));
    });
  }
  return after[0] as Expression;
}

/** An optional member. The rest is usually the same with and without it. */
function skippable(own: Expression, after: Expression, without: Expression): Expression {
  return after === without ? sequence(optional(own), after) : choiceOf([sequence(own, after), without]);
}

/**
 * The end of the chain after `before` members. The names of extra members can be equal, so all of them count as one.
 */
function extras(rules: Rules, { extra, min, max }: MemberPlan, before: number, path: string): Expression {
  const missing = min - before;
  if (extra === undefined || before >= max) return missing > 0 ? never : empty;
  if (missing > 1) return never;
  const room = max - before;
  const further = sequence(comma, extra);
  if (before > 0) return rules.share(rules.repeat(further, Math.max(0, missing), room, path));
  const all = sequence(extra, rules.repeat(further, 0, room - 1, path));
  return rules.share(missing > 0 ? all : optional(all));
}
