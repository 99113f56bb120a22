// Draws texts from a GBNF grammar at random.

import type { GbnfNode } from './gbnf-reader.ts';

/** How deep the shallowest text of each rule is. */
export function measureDepths(rules: ReadonlyMap<string, GbnfNode>): (node: GbnfNode) => number {
  const known = new Map<string, number>();
  const depthOf = (node: GbnfNode): number => {
    switch (node.kind) {
      case 'reference':
        return 1 + (known.get(node.name) ?? Number.POSITIVE_INFINITY);
      case 'sequence':
        return Math.max(0, ...node.items.map(depthOf));
      case 'choice':
        return Math.min(...node.options.map(depthOf));
      case 'repeat':
        return node.least === 0 ? 0 : depthOf(node.item);
      default:
        return 0;
    }
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, body] of [...rules].reverse()) {
      const depth = depthOf(body);
      if (depth < (known.get(name) ?? Number.POSITIVE_INFINITY)) {
        known.set(name, depth);
        changed = true;
      }
    }
  }
  for (const name of rules.keys()) if (!known.has(name)) throw new Error(`the rule ${name} has no end`);
  return depthOf;
}

// Deeper or longer than this, the shortest way out is taken.
const deepest = 30;
const longest = 1000;

export function createGbnfSampler(
  find: (name: string) => GbnfNode,
  depthOf: (node: GbnfNode) => number,
  random: () => number,
) {
  let drawn = 0;
  const below = (limit: number): number => Math.floor(random() * limit);
  const hurries = (depth: number): boolean => depth >= deepest || drawn > longest;

  const pickOption = (options: readonly GbnfNode[], depth: number): GbnfNode => {
    if (!hurries(depth)) return options[below(options.length)] as GbnfNode;
    return options.reduce((best, option) => (depthOf(option) < depthOf(best) ? option : best));
  };

  const pickTimes = (least: number, most: number, depth: number): number => {
    if (hurries(depth)) return least;
    const luck = random();
    if (luck < 0.15) return least;
    if (luck < 0.3 && most <= 64) return most;
    return least + below(Math.min(most - least, 4) + 1);
  };

  const pickFrom = ([from, to]: readonly [number, number]): number => {
    const luck = random();
    if (luck < 0.1) return from;
    return luck < 0.2 ? to : from + below(to - from + 1);
  };

  const pickCharacter = ({ negated, ranges }: Extract<GbnfNode, { kind: 'class' }>): number => {
    if (!negated) return pickFrom(ranges[below(ranges.length)] as readonly [number, number]);
    for (;;) {
      const planes: (readonly [number, number])[] = [
        [0, 0x7f],
        [0, 0x7f],
        [0, 0x7f],
        [0, 0xffff],
        [0x1_0000, 0x10_ffff],
      ];
      const point = pickFrom(planes[below(planes.length)] as readonly [number, number]);
      if (!ranges.some(([from, to]) => from <= point && point <= to)) return point;
    }
  };

  const draw = (node: GbnfNode, depth: number): number[] => {
    switch (node.kind) {
      case 'literal':
        drawn += node.points.length;
        return [...node.points];
      case 'class':
        drawn++;
        return [pickCharacter(node)];
      case 'reference':
        return draw(find(node.name), depth + 1);
      case 'sequence':
        return node.items.flatMap((item) => draw(item, depth));
      case 'choice':
        return draw(pickOption(node.options, depth), depth);
      case 'repeat':
        return drawRepeat(node, depth);
    }
  };

  const drawRepeat = ({ item, least, most }: Extract<GbnfNode, { kind: 'repeat' }>, depth: number): number[] => {
    const points: number[] = [];
    const times = pickTimes(least, most, depth);
    for (let time = 0; time < times && (time < least || !hurries(depth)); time++) points.push(...draw(item, depth));
    return points;
  };
  return draw;
}

/** Numbers from 0 up to 1 that are the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
