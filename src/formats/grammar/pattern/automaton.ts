// Patterns as finite automata: to match a text, and to intersect several patterns and a length. Matching simulates the
// NFA with sets of positions, so it takes linear time and does not backtrack.

import type { WorkBudget } from '../limits/limits.ts';
import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import { allCodePoints, type CodePoints, codePointsOf, includes, intersect, unite } from './code-points.ts';
import { type Pattern, type PatternNode, textEnd, textStart } from './pattern.ts';

/** The path for errors, and the work that is left. */
export interface PatternContext {
  readonly path: string;
  readonly budget: WorkBudget;
}

/** Positions in a pattern, sorted and unique. */
type Positions = readonly number[];

interface Position {
  readonly edges: { readonly points: CodePoints; readonly target: number }[];
  readonly jumps: number[];
}

/** A framed node also reads the start and the end of the text. */
function createMachine(node: PatternNode, isFramed: boolean, { path, budget }: PatternContext) {
  const positions: Position[] = [];
  const add = (): number => {
    if (positions.length >= grammarLimits.patternNodes) throw schemaError(path, 'is not supported: it is too large');
    budget.spend(1, path);
    positions.push({ edges: [], jumps: [] });
    return positions.length - 1;
  };
  const at = (index: number): Position => positions[index] as Position;

  const build = (part: PatternNode, from: number): number => {
    switch (part.kind) {
      case 'set': {
        const target = add();
        at(from).edges.push({ points: part.points, target });
        return target;
      }
      case 'sequence':
        return part.items.reduce((end, item) => build(item, end), from);
      case 'choice': {
        const end = add();
        for (const option of part.options) at(build(option, from)).jumps.push(end);
        return end;
      }
      case 'repeat':
        return buildRepeat(part, from);
    }
  };

  const buildRepeat = ({ item, min, max }: Extract<PatternNode, { kind: 'repeat' }>, from: number): number => {
    let end = from;
    for (let time = 0; time < min; time++) end = build(item, end);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = add();
      at(end).jumps.push(loop);
      at(build(item, loop)).jumps.push(loop);
      const out = add();
      at(loop).jumps.push(out);
      return out;
    }
    const out = add();
    at(end).jumps.push(out);
    for (let time = min; time < max; time++) {
      const next = add();
      at(end).jumps.push(next);
      end = build(item, next);
      at(end).jumps.push(out);
    }
    return out;
  };

  const close = (roots: Iterable<number>): Positions => {
    const found = new Set(roots);
    for (const index of found) for (const jump of at(index).jumps) found.add(jump);
    return [...found].sort((a, b) => a - b);
  };

  const start = add();
  const end = build(node, start);
  const edgesOf = (current: Positions) => current.flatMap((index) => at(index).edges);
  const step = (current: Positions, codePoint: number): Positions => {
    budget.spend(current.length + 1, path);
    return close(edgesOf(current).flatMap(({ points, target }) => (includes(points, codePoint) ? [target] : [])));
  };
  return {
    start: isFramed ? step(close([start]), textStart) : close([start]),
    edgesOf,
    step,
    accepts: (current: Positions): boolean => (isFramed ? step(current, textEnd) : current).includes(end),
  };
}

type Machine = ReturnType<typeof createMachine>;

/** Matches the entire text. */
export function createMatcher(pattern: Pattern, context: PatternContext): (text: string) => boolean {
  const parts = toComponents([pattern], context);
  return (text) => {
    let states = parts.map(({ machine }) => machine.start);
    for (const point of codePointsOf(text))
      states = states.map((state, index) => (parts[index] as Component).machine.step(state, point));
    return acceptsAll(parts, states);
  };
}

interface Component {
  readonly machine: Machine;
  readonly negated: boolean;
}

function toComponents(patterns: readonly Pattern[], context: PatternContext): Component[] {
  return patterns.flatMap(({ node, isFramed = false, lookaheads }) => [
    { machine: createMachine(node, isFramed, context), negated: false },
    ...lookaheads.map((lookahead) => ({
      machine: createMachine(lookahead.node, lookahead.isFramed ?? false, context),
      negated: lookahead.negated,
    })),
  ]);
}

function acceptsAll(parts: readonly Component[], states: readonly Positions[]): boolean {
  return parts.every(({ machine, negated }, index) => machine.accepts(states[index] as Positions) !== negated);
}

export interface AutomatonState {
  readonly edges: readonly { readonly points: CodePoints; readonly target: number }[];
  readonly accepting: boolean;
}

/** Characters, and the states of the machines after one of them. */
interface Move {
  readonly points: CodePoints;
  readonly states: readonly Positions[];
}

interface Snapshot {
  readonly states: readonly Positions[];
  /** Characters so far, up to the highest count that matters. */
  readonly length: number;
}

/** A DFA for the texts that satisfy all constraints, with the start state first. Empty if there are none. */
export function buildAutomaton(
  { patterns, min, max }: { readonly patterns: readonly Pattern[]; readonly min: number; readonly max: number },
  context: PatternContext,
): readonly AutomatonState[] {
  const parts = toComponents(patterns, context);
  const movesOf = createMoves(parts, context);
  const counts = max === Number.POSITIVE_INFINITY ? min : max;
  const known = new Map<string, number>();
  const snapshots: Snapshot[] = [];
  const find = (states: readonly Positions[], length: number): number => {
    const key = `${length};${keyOf(states)}`;
    const index = known.get(key) ?? snapshots.push({ states, length }) - 1;
    known.set(key, index);
    if (index >= grammarLimits.automatonStates)
      throw schemaError(context.path, 'has patterns, formats or lengths that are too large to combine');
    return index;
  };

  find(
    parts.map(({ machine }) => machine.start),
    0,
  );
  const result: AutomatonState[] = [];
  for (const { states, length } of snapshots) {
    const moves = length >= max ? [] : movesOf(states);
    const edges = moves.map((move) => ({
      points: move.points,
      target: find(move.states, Math.min(length + 1, counts)),
    }));
    context.budget.spend(1 + edges.length, context.path);
    result.push({ edges, accepting: length >= min && acceptsAll(parts, states) });
  }
  return withoutDeadEnds(result);
}

const keyOf = (states: readonly Positions[]): string => states.map((state) => state.join(',')).join(';');

/** Memoizes moves: the same states recur at every length. */
function createMoves(
  parts: readonly Component[],
  { path, budget }: PatternContext,
): (states: readonly Positions[]) => readonly Move[] {
  const known = new Map<string, readonly Move[]>();

  const find = (states: readonly Positions[]): readonly Move[] => {
    const moves = new Map<string, Move>();
    for (const range of alphabetOf(parts, states)) {
      const next = states.map((state, index) => (parts[index] as Component).machine.step(state, range[0]));
      if (next.some((state, index) => state.length === 0 && !parts[index]?.negated)) continue;
      const key = keyOf(next);
      budget.spend(1 + (moves.get(key)?.points.length ?? 0), path);
      moves.set(key, { points: unite(moves.get(key)?.points ?? [], [range]), states: next });
    }
    return [...moves.values()];
  };

  return (states) => {
    const key = keyOf(states);
    const moves = known.get(key) ?? find(states);
    known.set(key, moves);
    return moves;
  };
}

/** All characters, split into ranges that no machine distinguishes further. */
function alphabetOf(parts: readonly Component[], states: readonly Positions[]): CodePoints {
  const cuts = new Set<number>();
  states.forEach((state, index) => {
    for (const { points } of (parts[index] as Component).machine.edgesOf(state))
      for (const [from, to] of points) cuts.add(from).add(to + 1);
  });
  const sorted = [0, ...[...cuts].sort((a, b) => a - b), 0x11_0000];
  const ranges: [number, number][] = [];
  for (let index = 1; index < sorted.length; index++) {
    const [from, to] = [sorted[index - 1] as number, (sorted[index] as number) - 1];
    for (const [first, last] of from <= to ? intersect(allCodePoints, [[from, to]]) : []) ranges.push([first, last]);
  }
  return ranges;
}

function withoutDeadEnds(states: readonly AutomatonState[]): readonly AutomatonState[] {
  const sources = states.map((): number[] => []);
  states.forEach(({ edges }, index) => {
    for (const { target } of edges) sources[target]?.push(index);
  });
  const alive = new Set<number>(states.flatMap(({ accepting }, index) => (accepting ? [index] : [])));
  for (const index of alive) for (const source of sources[index] ?? []) alive.add(source);
  if (!alive.has(0)) return [];
  return states.map(({ edges, accepting }) => ({ accepting, edges: edges.filter(({ target }) => alive.has(target)) }));
}
