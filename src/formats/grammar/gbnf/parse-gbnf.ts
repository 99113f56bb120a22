// Reads a grammar that somebody wrote by hand.
//
//   grammar  = { name "::=" choice }
//   choice   = sequence { "|" sequence }
//   sequence = { item [ "*" | "+" | "?" | "{" least [ "," [ most ] ] "}" ] }
//   item     = "text" | [class] | [^class] | "." | name | "(" choice ")"
//
// Blanks, line breaks and comments (# to the end of the line) may stand anywhere between. What llama.cpp gets is not
// this text but one that we write from what it means.

import { HearthError } from '../../../base/errors.ts';
import { allCodePoints, type CodePoints, negate, unite } from '../pattern/code-points.ts';
import { characters, choice, type Expression, isNever, rule, sequence, text } from './expression.ts';
import { createRules, type Rules } from './rules.ts';

export interface ParsedGrammar {
  readonly rules: Rules['all'];
  readonly root: Expression;
}

export const gbnfLimits = {
  length: 65_536,
  rules: 1_000,
  /** Parentheses inside each other. */
  depth: 64,
  /** What can come next at any place. llama.cpp compares every reading that one leads to with every other. */
  width: 128,
  /** What may be left out in a row: each multiplies the readings that outlive a character. */
  skips: 24,
} as const;

export function grammarError(reason: string): HearthError {
  return new HearthError('bad_request', `format: the grammar ${reason}`);
}

const nameAhead = /\s*([a-zA-Z0-9_-]{1,100})(\s*::=)?/y;
const blanks = /(?:\s|#[^\n]*)*/y;
const counts = /\{\s*(\d{1,6})\s*(?:(,)\s*(\d{1,6})?\s*)?\}/y;
const character = /\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\([nrt"\\[\]^-])|([^\\\n\r])/uy;
const named: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9 };

export function parseGbnf(source: string): ParsedGrammar {
  if (source.length > gbnfLimits.length) throw grammarError(`is longer than ${gbnfLimits.length} characters`);
  const rules = createRules();
  const names = new Map<string, string>();
  const defined = new Set<string>();
  let at = 0;

  const fail = (what: string): HearthError => {
    const line = source.slice(0, at).split('\n').length;
    return grammarError(`cannot be read: ${what} in line ${line}`);
  };
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source) ?? undefined;
    if (found) at += found[0].length;
    return found;
  };
  const skip = (): void => void match(blanks);
  const eat = (symbol: string): boolean => {
    skip();
    if (!source.startsWith(symbol, at)) return false;
    at += symbol.length;
    return true;
  };
  /** Names of ours: theirs could be the ones that JSON has. */
  const ownName = (name: string): string => {
    const known = names.get(name) ?? rules.reserve();
    names.set(name, known);
    if (names.size > gbnfLimits.rules) throw grammarError(`has more than ${gbnfLimits.rules} rules`);
    return known;
  };

  const readPoint = (): number => {
    const found = match(character);
    if (!found) throw fail('a character that is none');
    const hex = found[1] ?? found[2] ?? found[3];
    const letter = found[4] ?? found[5] ?? '';
    const point = hex === undefined ? (named[found[4] ?? ''] ?? letter.codePointAt(0)) : Number.parseInt(hex, 16);
    if (point === undefined || point > 0x10_ffff || (point >= 0xd800 && point <= 0xdfff))
      throw fail('a character that is none');
    return point;
  };

  const readText = (): Expression => {
    let content = '';
    while (source[at] !== '"') content += String.fromCodePoint(readPoint());
    at++;
    return text(content);
  };

  const readRange = (): readonly [number, number] => {
    const from = readPoint();
    if (source[at] !== '-' || source[at + 1] === ']') return [from, from];
    at++;
    const to = readPoint();
    if (to < from) throw fail('a range that runs backwards');
    return [from, to];
  };

  const readClass = (): Expression => {
    const isNegated = source[at] === '^';
    if (isNegated) at++;
    const ranges: CodePoints[] = [];
    while (source[at] !== ']') ranges.push([readRange()]);
    at++;
    const points = unite(...ranges);
    const expression = characters(isNegated ? negate(points) : points);
    if (isNever(expression)) throw fail('a class without a character');
    return expression;
  };

  const readName = (): Expression | undefined => {
    const start = at;
    const [, name, defines] = match(nameAhead) ?? [];
    if (name !== undefined && defines === undefined) return rule(ownName(name));
    // The next rule begins here, or it is no name at all.
    at = start;
    return undefined;
  };

  const readItem = (depth: number): Expression | undefined => {
    if (eat('"')) return readText();
    if (eat('[')) return readClass();
    if (eat('.')) return characters(allCodePoints);
    if (!eat('(')) return readName();
    if (depth >= gbnfLimits.depth) throw grammarError('is nested too deeply');
    const inner = readChoice(depth + 1);
    if (!eat(')')) throw fail('a parenthesis that is not closed');
    return inner;
  };

  const readTimes = (): { least: number; most: number } | undefined => {
    const endless = Number.POSITIVE_INFINITY;
    if (eat('*')) return { least: 0, most: endless };
    if (eat('+')) return { least: 1, most: endless };
    if (eat('?')) return { least: 0, most: 1 };
    const [, least, comma, most] = match(counts) ?? [];
    if (least === undefined) return undefined;
    return { least: Number(least), most: comma === undefined ? Number(least) : Number(most ?? endless) };
  };

  const readSequence = (depth: number): Expression => {
    const items: Expression[] = [];
    for (let item = readItem(depth); item; item = readItem(depth)) {
      const times = readTimes();
      if (times && times.most < times.least) throw fail('a repetition that ends before it begins');
      items.push(times ? rules.repeat(item, times.least, times.most, '') : item);
    }
    return sequence(...items);
  };

  const readChoice = (depth: number): Expression => {
    const options = [readSequence(depth)];
    while (eat('|')) options.push(readSequence(depth));
    return choice(options);
  };

  for (skip(); at < source.length; skip()) {
    const [, name, defines] = match(nameAhead) ?? [];
    if (name === undefined || defines === undefined) throw fail(`"${source.slice(at, at + 20)}"`);
    if (defined.has(name)) throw grammarError(`defines ${name} twice`);
    defined.add(name);
    rules.define(ownName(name), readChoice(0));
  }
  if (!defined.has('root')) throw grammarError('has no rule named root');
  const missing = [...names.keys()].find((name) => !defined.has(name));
  if (missing !== undefined) throw grammarError(`does not define ${missing}`);
  return { rules: rules.all, root: rule(ownName('root')) };
}
