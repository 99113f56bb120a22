// Parses the right-hand side of a GBNF rule.

export type GbnfNode =
  | { readonly kind: 'literal'; readonly points: readonly number[] }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'reference'; readonly name: string }
  | { readonly kind: 'sequence'; readonly items: readonly GbnfNode[] }
  | { readonly kind: 'choice'; readonly options: readonly GbnfNode[] }
  | { readonly kind: 'repeat'; readonly item: GbnfNode; readonly min: number; readonly max: number };

export function readGbnf(source: string): GbnfNode {
  let rest = source;
  const eat = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = new RegExp(`^\\s*(?:${pattern.source})`, 'u').exec(rest) ?? undefined;
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  const fail = (): never => {
    throw new Error(`cannot parse: ${rest.slice(0, 80)}`);
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

  const readClass = (): GbnfNode => {
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

  const readLiteral = (): GbnfNode => {
    const points: number[] = [];
    while (!rest.startsWith('"')) points.push(readCharacter());
    rest = rest.slice(1);
    return { kind: 'literal', points };
  };

  const readAtom = (): GbnfNode | undefined => {
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

  const readTimes = (): { min: number; max: number } | undefined => {
    const endless = Number.POSITIVE_INFINITY;
    if (eat(/\*/)) return { min: 0, max: endless };
    if (eat(/\+/)) return { min: 1, max: endless };
    if (eat(/\?/)) return { min: 0, max: 1 };
    const [, from, comma, to] = eat(/\{(\d+)(,)?(\d+)?\}/) ?? [];
    if (from === undefined) return undefined;
    return { min: Number(from), max: Number(comma === undefined ? from : (to ?? endless)) };
  };

  const readQuantified = (): GbnfNode | undefined => {
    const item = readAtom();
    const times = item && readTimes();
    return times ? { kind: 'repeat', item, ...times } : item;
  };

  const readChoice = (): GbnfNode => {
    const options: GbnfNode[] = [];
    do {
      const items: GbnfNode[] = [];
      for (let item = readQuantified(); item; item = readQuantified()) items.push(item);
      options.push({ kind: 'sequence', items });
    } while (eat(/\|/));
    return { kind: 'choice', options };
  };

  const node = readChoice();
  if (rest.trim() !== '') fail();
  return node;
}
