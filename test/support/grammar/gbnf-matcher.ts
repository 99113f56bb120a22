// Matches a text against a GBNF grammar, trying all parses.

import type { GbnfNode } from './gbnf-reader.ts';

export function createMatcher(find: (name: string) => GbnfNode): (points: readonly number[]) => boolean {
  return (points) => {
    const known = new Map<string, ReadonlySet<number>>();

    const matchesClass = (node: Extract<GbnfNode, { kind: 'class' }>, point: number): boolean =>
      node.ranges.some(([from, to]) => from <= point && point <= to) !== node.negated;

    const each = (starts: Iterable<number>, node: GbnfNode): Set<number> => {
      const ends = new Set<number>();
      for (const start of starts) for (const end of endsOf(node, start)) ends.add(end);
      return ends;
    };

    const endsOfRepeat = ({ item, min, max }: Extract<GbnfNode, { kind: 'repeat' }>, start: number): Set<number> => {
      let current = new Set([start]);
      for (let time = 0; time < min; time++) current = each(current, item);
      const ends = new Set(current);
      for (let time = min; time < max && current.size > 0; time++) {
        // An end that was reached with fewer repetitions is explored already, with more repetitions left.
        current = new Set([...each(current, item)].filter((end) => !ends.has(end)));
        for (const end of current) ends.add(end);
      }
      return ends;
    };

    const endsOf = (node: GbnfNode, start: number): Iterable<number> => {
      switch (node.kind) {
        case 'literal':
          return node.points.every((point, index) => points[start + index] === point)
            ? [start + node.points.length]
            : [];
        case 'class': {
          const point = points[start];
          return point !== undefined && matchesClass(node, point) ? [start + 1] : [];
        }
        case 'reference': {
          const key = `${node.name} ${start}`;
          const ends = known.get(key) ?? new Set(endsOf(find(node.name), start));
          known.set(key, ends);
          return ends;
        }
        case 'sequence':
          return node.items.reduce((starts, item) => each(starts, item), new Set([start]));
        case 'choice':
          return node.options.flatMap((option) => [...endsOf(option, start)]);
        case 'repeat':
          return endsOfRepeat(node, start);
      }
    };
    return [...endsOf(find('root'), 0)].includes(points.length);
  };
}
