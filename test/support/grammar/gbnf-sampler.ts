// Samples random texts from a GBNF grammar.

import type { GbnfNode } from './gbnf-reader.ts';

/** Returns the minimal derivation depth of a node. */
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
        return node.min === 0 ? 0 : depthOf(node.item);
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
  for (const name of rules.keys()) if (!known.has(name)) throw new Error(`the rule ${name} matches no finite text`);
  return depthOf;
}

// Beyond these, the sampler takes the shortest derivation.
const maxDepth = 30;
const maxLength = 1000;

export function createGbnfSampler(
  find: (name: string) => GbnfNode,
  depthOf: (node: GbnfNode) => number,
  random: () => number,
) {
  let length = 0;
  const below = (limit: number): number => Math.floor(random() * limit);
  const mustFinish = (depth: number): boolean => depth >= maxDepth || length > maxLength;

  const pickOption = (options: readonly GbnfNode[], depth: number): GbnfNode => {
    if (!mustFinish(depth)) return options[below(options.length)] as GbnfNode;
    return options.reduce((best, option) => (depthOf(option) < depthOf(best) ? option : best));
  };

  const pickTimes = (min: number, max: number, depth: number): number => {
    if (mustFinish(depth)) return min;
    const chance = random();
    if (chance < 0.15) return min;
    if (chance < 0.3 && max <= 64) return max;
    return min + below(Math.min(max - min, 4) + 1);
  };

  const pickFrom = ([from, to]: readonly [number, number]): number => {
    const chance = random();
    if (chance < 0.1) return from;
    return chance < 0.2 ? to : from + below(to - from + 1);
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
        length += node.points.length;
        return [...node.points];
      case 'class':
        length++;
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

  const drawRepeat = ({ item, min, max }: Extract<GbnfNode, { kind: 'repeat' }>, depth: number): number[] => {
    const points: number[] = [];
    const times = pickTimes(min, max, depth);
    for (let time = 0; time < times && (time < min || !mustFinish(depth)); time++) points.push(...draw(item, depth));
    return points;
  };
  return draw;
}

/** A reproducible generator of numbers from 0 to below 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
