// The members of an object, in their order, with optional ones among them and a count to keep: a chain of rules, one for
// each member and each number of members before it that still makes a difference.

import { choice, type Expression, never, nothing, optional, sequence } from '../gbnf/expression.ts';
import type { Rules } from '../gbnf/rules.ts';
import { limits } from '../limits.ts';
import { schemaError } from '../schema-error.ts';
import { comma } from './json-value.ts';

export interface MemberPlan {
  readonly members: readonly { readonly expression: Expression; readonly required: boolean }[];
  /** A member of another name; any number of them may follow. */
  readonly extra: Expression | undefined;
  readonly least: number;
  readonly most: number;
}

const maxLine = 32;

/** What stands between the braces. */
export function memberChain(rules: Rules, plan: MemberPlan, path: string): Expression {
  const { members, least, most } = plan;
  const counted = most === Number.POSITIVE_INFINITY ? Math.max(1, least) : most;
  const highest = Math.max(1, Math.min(counted, members.length));
  if (highest * members.length > limits.memberStates)
    throw schemaError(path, 'has too many members to count them as minProperties and maxProperties ask');

  let after = Array.from({ length: highest + 1 }, (_, before) => extras(rules, plan, before, path));
  for (const [index, member] of [...members.entries()].reverse()) {
    const next = after;
    after = next.map((without, before) => {
      const taken = before >= most ? never : (next[Math.min(before + 1, highest)] as Expression);
      const own = sequence(before === 0 ? nothing : comma, member.expression);
      // Required members stand in line, so that objects that begin alike can be seen to; but not in endless ones.
      if (member.required) return sequence(own, index % maxLine === maxLine - 1 ? rules.share(taken) : taken);
      return skippable(own, rules.share(taken), rules.share(without));
    });
  }
  return after[0] as Expression;
}

/** What comes after the member, and what comes if it is left out: mostly the same. */
function skippable(own: Expression, after: Expression, without: Expression): Expression {
  return after === without ? sequence(optional(own), after) : choice([sequence(own, after), without]);
}

/** The end of the chain, where so many members came before. Names of extra members may be equal: they count as one. */
function extras(rules: Rules, { extra, least, most }: MemberPlan, before: number, path: string): Expression {
  const missing = least - before;
  if (extra === undefined || before >= most) return missing > 0 ? never : nothing;
  if (missing > 1) return never;
  const room = most - before;
  const further = sequence(comma, extra);
  if (before > 0) return rules.share(rules.repeat(further, Math.max(0, missing), room, path));
  const all = sequence(extra, rules.repeat(further, 0, room - 1, path));
  return rules.share(missing > 0 ? all : optional(all));
}
