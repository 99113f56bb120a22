// A small reader of GBNF for tests: draws texts from a grammar, and says whether a text is one of them. It knows what
// llama.cpp knows of the notation and nothing of how our grammars are built.

type Node =
  | { readonly kind: 'literal'; readonly points: readonly number[] }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'reference'; readonly name: string }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'repeat'; readonly item: Node; readonly least: number; readonly most: number };

export interface Gbnf {
  /** A random text of the grammar; `random` gives numbers from 0 up to 1. */
  sample(random: () => number): string;
  matches(text: string): boolean;
  readonly ruleCount: number;
}

export function parseGbnf(source: string): Gbnf {
  const rules = new Map<string, Node>();
  for (const line of source.split('\n').filter((one) => one.trim() !== '')) {
    const [, name, body] = /^([a-zA-Z][a-zA-Z0-9-]*)\s*::=(.*)$/.exec(line) ?? [];
    if (name === undefined || body === undefined) throw new Error(`no rule: ${line.slice(0, 200)}`);
    if (rules.has(name)) throw new Error(`two rules are called ${name}`);
    rules.set(name, createReader(body).readAll());
  }
  const find = (name: string): Node => {
    const body = rules.get(name);
    if (!body) throw new Error(`there is no rule ${name}`);
    return body;
  };
  for (const body of rules.values()) for (const name of referencesIn(body)) find(name);
  const depths = measureDepths(rules);
  return {
    ruleCount: rules.size,
    sample: (random) => String.fromCodePoint(...createSampler(find, depths, random)(find('root'), 0)),
    matches: (text) => createMatcher(find)(Array.from(text, (one) => one.codePointAt(0) as number)),
  };
}

function createReader(source: string): { readAll(): Node } {
  let rest = source;
  const eat = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = new RegExp(`^\\s*(?:${pattern.source})`, 'u').exec(rest) ?? undefined;
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  const fail = (): never => {
    throw new Error(`cannot read: ${rest.slice(0, 80)}`);
  };

  const readCharacter = (): number => {
    const found =
      /^(?:\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\([nrt"\\[\]])|([^\\]))/su.exec(rest) ?? fail();
    rest = rest.slice(found[0].length);
    const hex = found[1] ?? found[2] ?? found[3];
    if (hex !== undefined) return Number.parseInt(hex, 16);
    const named = { n: 10, r: 13, t: 9 }[found[4] ?? ''];
    return named ?? (((found[4] ?? found[5]) as string).codePointAt(0) as number);
  };

  const readClass = (): Node => {
    const negated = rest.startsWith('^');
    if (negated) rest = rest.slice(1);
    const ranges: [number, number][] = [];
    while (!rest.startsWith(']')) {
      const from = readCharacter();
      const isRange = rest.startsWith('-') && !rest.startsWith('-]');
      if (isRange) rest = rest.slice(1);
      ranges.push([from, isRange ? readCharacter() : from]);
    }
    rest = rest.slice(1);
    return { kind: 'class', negated, ranges };
  };

  const readLiteral = (): Node => {
    const points: number[] = [];
    while (!rest.startsWith('"')) points.push(readCharacter());
    rest = rest.slice(1);
    return { kind: 'literal', points };
  };

  const readAtom = (): Node | undefined => {
    if (eat(/"/)) return readLiteral();
    if (eat(/\[/)) return readClass();
    if (eat(/\(/)) {
      const inner = readChoice();
      if (!eat(/\)/)) fail();
      return inner;
    }
    const name = eat(/[a-zA-Z][a-zA-Z0-9-]*/);
    return name && { kind: 'reference', name: name[0].trim() };
  };

  const readTimes = (): { least: number; most: number } | undefined => {
    const endless = Number.POSITIVE_INFINITY;
    if (eat(/\*/)) return { least: 0, most: endless };
    if (eat(/\+/)) return { least: 1, most: endless };
    if (eat(/\?/)) return { least: 0, most: 1 };
    const [, from, comma, to] = eat(/\{(\d+)(,)?(\d+)?\}/) ?? [];
    if (from === undefined) return undefined;
    return { least: Number(from), most: Number(comma === undefined ? from : (to ?? endless)) };
  };

  const readQuantified = (): Node | undefined => {
    const item = readAtom();
    const times = item && readTimes();
    return times ? { kind: 'repeat', item, ...times } : item;
  };

  const readChoice = (): Node => {
    const options: Node[] = [];
    do {
      const items: Node[] = [];
      for (let item = readQuantified(); item; item = readQuantified()) items.push(item);
      options.push({ kind: 'sequence', items });
    } while (eat(/\|/));
    return { kind: 'choice', options };
  };

  return {
    readAll() {
      const node = readChoice();
      if (rest.trim() !== '') fail();
      return node;
    },
  };
}

function referencesIn(node: Node): string[] {
  switch (node.kind) {
    case 'reference':
      return [node.name];
    case 'sequence':
      return node.items.flatMap(referencesIn);
    case 'choice':
      return node.options.flatMap(referencesIn);
    case 'repeat':
      return referencesIn(node.item);
    default:
      return [];
  }
}

/** How deep the shallowest text of each rule is. */
function measureDepths(rules: ReadonlyMap<string, Node>): (node: Node) => number {
  const known = new Map<string, number>();
  const depthOf = (node: Node): number => {
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

// Deeper than this, the shortest way out is taken.
const deepest = 30;

function createSampler(find: (name: string) => Node, depthOf: (node: Node) => number, random: () => number) {
  const below = (limit: number): number => Math.floor(random() * limit);

  const pickOption = (options: readonly Node[], depth: number): Node => {
    if (depth < deepest) return options[below(options.length)] as Node;
    return options.reduce((best, option) => (depthOf(option) < depthOf(best) ? option : best));
  };

  const pickTimes = (least: number, most: number, depth: number): number => {
    if (depth >= deepest) return least;
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

  const pickCharacter = ({ negated, ranges }: Extract<Node, { kind: 'class' }>): number => {
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

  const draw = (node: Node, depth: number): number[] => {
    switch (node.kind) {
      case 'literal':
        return [...node.points];
      case 'class':
        return [pickCharacter(node)];
      case 'reference':
        return draw(find(node.name), depth + 1);
      case 'sequence':
        return node.items.flatMap((item) => draw(item, depth));
      case 'choice':
        return draw(pickOption(node.options, depth), depth);
      case 'repeat':
        return Array.from({ length: pickTimes(node.least, node.most, depth) }, () => draw(node.item, depth)).flat();
    }
  };
  return draw;
}

function createMatcher(find: (name: string) => Node): (points: readonly number[]) => boolean {
  return (points) => {
    const known = new Map<string, ReadonlySet<number>>();

    const matchesClass = (node: Extract<Node, { kind: 'class' }>, point: number): boolean =>
      node.ranges.some(([from, to]) => from <= point && point <= to) !== node.negated;

    const each = (starts: Iterable<number>, node: Node): Set<number> => {
      const ends = new Set<number>();
      for (const start of starts) for (const end of endsOf(node, start)) ends.add(end);
      return ends;
    };

    const endsOfRepeat = ({ item, least, most }: Extract<Node, { kind: 'repeat' }>, start: number): Set<number> => {
      let current = new Set([start]);
      for (let time = 0; time < least; time++) current = each(current, item);
      const ends = new Set(current);
      for (let time = least; time < most && current.size > 0; time++) {
        // Where it ended before with fewer, going on from there has been looked at; with a bound it allowed more.
        current = new Set([...each(current, item)].filter((end) => !ends.has(end)));
        for (const end of current) ends.add(end);
      }
      return ends;
    };

    const endsOf = (node: Node, start: number): Iterable<number> => {
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
