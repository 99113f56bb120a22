// An automaton for all texts except some, such as the names of declared members: a tree of their characters. Objects with
// hundreds of members are common, and an intersection of patterns takes much longer.

import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import type { AutomatonState, PatternContext } from './automaton.ts';
import { allCodePoints, type CodePoints, negate, unite } from './code-points.ts';

interface Node {
  readonly index: number;
  readonly children: Map<number, Node>;
  isExcluded: boolean;
}

// State 0 is the start.
const afterAll = 1;
const excludedEnd = 2;

/** The start state is the first one. */
export function textsExcept(texts: readonly string[], { path, budget }: PatternContext): readonly AutomatonState[] {
  const nodes: Node[] = [{ index: 0, children: new Map(), isExcluded: false }];
  const add = (): Node => {
    if (nodes.length >= grammarLimits.automatonStates) throw schemaError(path, 'has too many names, or too long ones');
    const node = { index: nodes.length + 2, children: new Map(), isExcluded: false };
    nodes.push(node);
    return node;
  };
  for (const text of texts) {
    // Half of a surrogate pair cannot be generated.
    if (/\p{Surrogate}/u.test(text)) continue;
    let node = nodes[0] as Node;
    for (const character of text) {
      budget.spend(1, path);
      const point = character.codePointAt(0) as number;
      const next = node.children.get(point) ?? add();
      node.children.set(point, next);
      node = next;
    }
    node.isExcluded = true;
  }
  const toRest = { points: allCodePoints, target: afterAll };
  const [start, ...others] = nodes.map(toState) as [AutomatonState, ...AutomatonState[]];
  return [start, { edges: [toRest], accepting: true }, { edges: [toRest], accepting: false }, ...others];
}

function toState({ children, isExcluded }: Node): AutomatonState {
  const points = [...children.keys()];
  const others: CodePoints = negate(unite(points.map((point) => [point, point] as const)));
  return {
    accepting: !isExcluded,
    edges: [
      ...[...children].map(([point, child]) => ({ points: [[point, point]] as const, target: targetOf(child) })),
      { points: others, target: afterAll },
    ],
  };
}

/** The ends of all excluded texts are alike, unless another one continues there. */
const targetOf = ({ index, children }: Node): number => (children.size === 0 ? excludedEnd : index);
