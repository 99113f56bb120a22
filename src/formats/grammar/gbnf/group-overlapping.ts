// Groups sets of first items that overlap, directly or through other sets. Sorting finds the overlaps: comparing every
// pair of items takes seconds for branches with hundreds of enum values.

import { includes } from '../pattern/code-points.ts';
import type { FirstSet, OtherStrings } from './first-sets.ts';

/** The indexes of the sets, by group. */
export function groupOverlapping(sets: readonly FirstSet[]): number[][] {
  const groups = createGroups(sets.length);
  const texts: OwnedText[] = [];
  const spans: OwnedSpan[] = [];
  const others: OwnedStrings[] = [];
  for (const [owner, { firsts }] of sets.entries())
    for (const first of firsts) {
      if (typeof first === 'string') texts.push({ owner, text: first });
      else if ('except' in first) others.push({ owner, ...first });
      else for (const [from, to] of first) spans.push({ owner, from, to });
    }
  texts.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  spans.sort((a, b) => a.from - b.from);
  joinPrefixes(texts, groups.join);
  joinSpans(texts, spans, groups.join);
  joinOthers(others, texts, spans, groups.join);
  return groups.all();
}

interface OwnedText {
  readonly owner: number;
  readonly text: string;
}

interface OwnedSpan {
  readonly owner: number;
  readonly from: number;
  readonly to: number;
}

interface OwnedStrings extends OtherStrings {
  readonly owner: number;
}

type Join = (one: number, other: number) => void;

/** In sorted order, the texts that start with a text follow it directly. */
function joinPrefixes(texts: readonly OwnedText[], join: Join): void {
  const prefixes: OwnedText[] = [];
  for (const one of texts) {
    for (let last = prefixes.at(-1); last && !one.text.startsWith(last.text); last = prefixes.at(-1)) prefixes.pop();
    const prefix = prefixes.at(-1);
    if (prefix) join(prefix.owner, one.owner);
    prefixes.push(one);
  }
}

/** Joins classes that share a character, and classes with the texts that start with one of their characters. */
function joinSpans(texts: readonly OwnedText[], spans: readonly OwnedSpan[], join: Join): void {
  const startOf = (text: string): number => text.codePointAt(0) ?? -1;
  const points = texts.map(({ owner, text }) => ({ owner, from: startOf(text), to: startOf(text), isText: true }));
  const classes = spans.map((span) => ({ ...span, isText: false }));
  let cover: OwnedSpan | undefined;
  // Classes precede the texts that start with their first character.
  const all = [...classes, ...points].sort((a, b) => a.from - b.from || Number(a.isText) - Number(b.isText));
  for (const one of all) {
    const covered = cover !== undefined && one.from <= cover.to;
    if (cover && covered) join(cover.owner, one.owner);
    if (!one.isText) cover = cover && covered ? { ...cover, to: Math.max(cover.to, one.to) } : one;
  }
}

/** Joins strings that are not excluded. They share the quote with all texts that are not complete strings. */
function joinOthers(
  others: readonly OwnedStrings[],
  texts: readonly OwnedText[],
  spans: readonly OwnedSpan[],
  join: Join,
): void {
  const [first] = others;
  if (!first) return;
  const exclusions = new Map<string, number>();
  for (const { owner, except } of others) {
    join(first.owner, owner);
    for (const text of except) exclusions.set(text, (exclusions.get(text) ?? 0) + 1);
  }
  for (const { owner, text } of texts)
    if (text.startsWith('"') && exclusions.get(firstString(text)) !== others.length) join(first.owner, owner);
  for (const { owner, from, to } of spans) if (includes([[from, to]], quote)) join(first.owner, owner);
}

const quote = 0x22;

/** The string that the text begins with; another text if it is not complete. */
function firstString(text: string): string {
  const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? [];
  return quoted === undefined ? text : (JSON.parse(quoted) as string);
}

/** Disjoint sets of indexes. */
function createGroups(count: number): { readonly join: Join; all(): number[][] } {
  const parents = Array.from({ length: count }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parents[root] !== root) {
      parents[root] = parents[parents[root] as number] as number;
      root = parents[root] as number;
    }
    return root;
  };
  return {
    join(one, other) {
      parents[rootOf(one)] = rootOf(other);
    },
    all() {
      const groups = new Map<number, number[]>();
      for (let index = 0; index < count; index++) {
        const group = groups.get(rootOf(index));
        if (group) group.push(index);
        else groups.set(rootOf(index), [index]);
      }
      return [...groups.values()];
    },
  };
}
