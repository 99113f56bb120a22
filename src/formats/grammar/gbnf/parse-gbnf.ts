// Parses a GBNF grammar from a caller.
//
//   grammar  = { name "::=" choice }
//   choice   = sequence { "|" sequence }
//   sequence = { item [ "*" | "+" | "?" | "{" min [ "," [ max ] ] "}" ] }
//   item     = "text" | [class] | [^class] | "." | name | "(" choice ")"
//
// Spaces, line breaks and comments (# to the end of the line) are allowed between tokens.

import type { Effort } from '../../../base/effort.ts';
import { HearthError } from '../../../base/errors.ts';
import { placeIn } from '../limits/schema-error.ts';
import { allCodePoints, type CodePoints, negate, unite } from '../pattern/code-points.ts';
import { characterClass, choiceOf, type Expression, isNever, literal, rule, sequence } from './expression.ts';
import { createRules, type Rules } from './rules.ts';

export const rawGrammarLimits = {
  length: 65_536,
  rules: 1_000,
  /** Nesting of parentheses. */
  depth: 64,
  /** Possible next items at one position. llama.cpp compares the parses that they lead to with each other. */
  width: 128,
  /** Optional items in a row: each multiplies the parses that remain after a character. */
  skips: 24,
} as const;

export function grammarError(reason: string): HearthError {
  return new HearthError('bad_request', `format: the grammar ${reason}`);
}

const namePattern = /\s*([a-zA-Z0-9_-]{1,100})(\s*::=)?/y;
const spacePattern = /(?:\s|#[^\n]*)*/y;
const countPattern = /\{\s*(\d{1,6})\s*(?:(,)\s*(\d{1,6})?\s*)?\}/y;
const characterPattern = /\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\([nrt"\\[\]^-])|([^\\\n\r])/uy;
const namedEscapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9 };

/** `rules`: where the rules are added. */
export function parseGbnf(
  source: string,
  effort: Effort,
  rules: Rules = createRules(effort),
): { readonly rules: Rules['all']; readonly root: Expression } {
  if (source.length > rawGrammarLimits.length)
    throw grammarError(`is longer than ${rawGrammarLimits.length} characters`);
  effort.spend(source.length);
  const names = new Map<string, { readonly internal: string; readonly at: number }>();
  const defined = new Set<string>();
  let at = 0;

  const fail = (what: string): HearthError => {
    return grammarError(`cannot be parsed: ${what} in ${placeIn(source, at)}`);
  };
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source) ?? undefined;
    if (found) at += found[0].length;
    return found;
  };
  const skip = (): void => void match(spacePattern);
  const accept = (symbol: string): boolean => {
    skip();
    if (!source.startsWith(symbol, at)) return false;
    at += symbol.length;
    return true;
  };
  /** Callers' rules get new names: theirs may be the names of the JSON rules. */
  const internalName = (name: string): string => {
    const known = names.get(name)?.internal ?? rules.reserve();
    if (!names.has(name)) names.set(name, { internal: known, at: at - name.length });
    if (names.size > rawGrammarLimits.rules) throw grammarError(`has more than ${rawGrammarLimits.rules} rules`);
    return known;
  };

  const readCodePoint = (): number => {
    const found = match(characterPattern);
    if (!found) throw fail('an invalid character');
    const hex = found[1] ?? found[2] ?? found[3];
    const letter = found[4] ?? found[5] ?? '';
    const point =
      hex === undefined ? (namedEscapes[found[4] ?? ''] ?? letter.codePointAt(0)) : Number.parseInt(hex, 16);
    if (point === undefined || point > 0x10_ffff || (point >= 0xd800 && point <= 0xdfff))
      throw fail('an invalid character');
    return point;
  };

  const readText = (): Expression => {
    let content = '';
    while (source[at] !== '"') content += String.fromCodePoint(readCodePoint());
    at++;
    return literal(content);
  };

  const readRange = (): readonly [number, number] => {
    const from = readCodePoint();
    if (source[at] !== '-' || source[at + 1] === ']') return [from, from];
    at++;
    const to = readCodePoint();
    if (to < from) throw fail('a range in reverse order');
    return [from, to];
  };

  const readClass = (): Expression => {
    const isNegated = source[at] === '^';
    if (isNegated) at++;
    const ranges: CodePoints[] = [];
    while (source[at] !== ']') ranges.push([readRange()]);
    at++;
    const points = unite(...ranges);
    const expression = characterClass(isNegated ? negate(points) : points);
    if (isNever(expression)) throw fail('an empty class');
    return expression;
  };

  const readName = (): Expression | undefined => {
    const start = at;
    const [, name, defines] = match(namePattern) ?? [];
    if (name !== undefined && defines === undefined) return rule(internalName(name));
    // The next rule begins here, or it is no name at all.
    at = start;
    return undefined;
  };

  const readItem = (depth: number): Expression | undefined => {
    if (accept('"')) return readText();
    if (accept('[')) return readClass();
    if (accept('.')) return characterClass(allCodePoints);
    if (!accept('(')) return readName();
    if (depth >= rawGrammarLimits.depth) throw grammarError('is nested too deeply');
    const inner = readChoice(depth + 1);
    if (!accept(')')) throw fail('an unclosed parenthesis');
    return inner;
  };

  const readCount = (): { min: number; max: number } | undefined => {
    const unbounded = Number.POSITIVE_INFINITY;
    if (accept('*')) return { min: 0, max: unbounded };
    if (accept('+')) return { min: 1, max: unbounded };
    if (accept('?')) return { min: 0, max: 1 };
    const [, min, comma, max] = match(countPattern) ?? [];
    if (min === undefined) return undefined;
    return { min: Number(min), max: comma === undefined ? Number(min) : Number(max ?? unbounded) };
  };

  const readSequence = (depth: number): Expression => {
    const items: Expression[] = [];
    for (let item = readItem(depth); item; item = readItem(depth)) {
      const count = readCount();
      if (count && count.max < count.min) throw fail('a repetition whose maximum is below its minimum');
      items.push(count ? rules.repeat(item, count.min, count.max, '') : item);
    }
    return sequence(...items);
  };

  const readChoice = (depth: number): Expression => {
    const options = [readSequence(depth)];
    while (accept('|')) options.push(readSequence(depth));
    return choiceOf(options);
  };

  for (skip(); at < source.length; skip()) {
    const [, name, defines] = match(namePattern) ?? [];
    if (name === undefined || defines === undefined) throw fail(`"${source.slice(at, at + 20)}"`);
    if (defined.has(name)) throw grammarError(`defines ${name} twice, in ${placeIn(source, at)}`);
    defined.add(name);
    rules.define(internalName(name), readChoice(0));
  }
  if (!defined.has('root')) throw grammarError('has no rule named root');
  const [missing] = [...names].filter(([name]) => !defined.has(name));
  if (missing !== undefined)
    throw grammarError(`does not define ${missing[0]}, which is in ${placeIn(source, missing[1].at)}`);
  return { rules: rules.all, root: rule(internalName('root')) };
}
