// Reads the characters, escapes and classes of a regular expression.

import type { HearthError } from '../../../base/errors.ts';
import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import { type CodePoints, codePointsOf, negate, singlePoint, unite } from './code-points.ts';

export function createPatternReader(points: readonly number[], path: string) {
  let position = 0;
  let nodes = 0;
  const refuse = (reason: string): HearthError =>
    schemaError(path, `is not supported: it ${reason}, before character ${position + 1}`);
  // Called several times for each character of a pattern.
  const sees = (text: string): boolean => {
    for (let index = 0; index < text.length; index++)
      if (points[position + index] !== text.charCodeAt(index)) return false;
    return true;
  };
  return {
    refuse,
    /** The text must be ASCII. */
    sees,
    atEnd: (): boolean => position >= points.length,
    /** Skips the text if it is next. */
    take(text: string): boolean {
      if (!sees(text)) return false;
      position += text.length;
      return true;
    },
    skip(count: number): void {
      position += count;
    },
    next(): number {
      const point = points[position];
      if (point === undefined) throw refuse('ends unexpectedly');
      position++;
      return point;
    },
    /** Skips what an expression matches at this position. */
    match(expression: RegExp): RegExpExecArray | undefined {
      const found = expression.exec(String.fromCodePoint(...points.slice(position, position + 80))) ?? undefined;
      if (found) position += codePointsOf(found[0]).length;
      return found;
    },
    countNode(): void {
      nodes++;
      if (nodes > grammarLimits.patternNodes) throw refuse('is too large');
    },
  };
}

export type PatternReader = ReturnType<typeof createPatternReader>;

const digit: CodePoints = [[0x30, 0x39]];
const word = unite(
  digit,
  [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  singlePoint(0x5f),
);
const space = unite(
  [
    [0x09, 0x0d],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
  ],
  ...[0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000, 0xfeff].map(singlePoint),
);
const lineEnd = unite(...[0x0a, 0x0d].map(singlePoint), [[0x2028, 0x2029]]);

/** The characters that `.` matches. */
export const dotCharacters = negate(lineEnd);

const classEscapes: Readonly<Record<string, CodePoints>> = {
  d: digit,
  D: negate(digit),
  w: word,
  W: negate(word),
  s: space,
  S: negate(space),
};

const controlEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Starts at the backslash. */
export function readEscape(reader: PatternReader): CodePoints {
  reader.skip(1);
  const letter = String.fromCodePoint(reader.next());
  const set = Object.hasOwn(classEscapes, letter) ? classEscapes[letter] : undefined;
  if (set) return set;
  if (Object.hasOwn(controlEscapes, letter)) return singlePoint(controlEscapes[letter] as number);
  if (letter === 'x' || letter === 'u') return singlePoint(readCode(reader, letter));
  if (letter === 'c') {
    const control = reader.match(/^[A-Za-z]/);
    if (control) return singlePoint((control[0].codePointAt(0) as number) % 32);
  }
  if (/^\w$/.test(letter)) throw reader.refuse(`contains \\${letter}`);
  return singlePoint(letter.codePointAt(0) as number);
}

function readCode(reader: PatternReader, letter: 'x' | 'u'): number {
  const pair = letter === 'u' ? reader.match(/^([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})/) : undefined;
  if (pair) {
    const [high, low] = [pair[1], pair[2]].map((hex) => Number.parseInt(hex as string, 16)) as [number, number];
    return 0x1_0000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
  }
  const found = reader.match(letter === 'x' ? /^([\da-fA-F]{2})/ : /^(?:([\da-fA-F]{4})|\{([\da-fA-F]{1,6})\})/);
  const code = found ? Number.parseInt((found[1] ?? found[2]) as string, 16) : Number.NaN;
  if (!(code <= 0x10_ffff) || (code >= 0xd800 && code <= 0xdfff))
    throw reader.refuse(`has an invalid \\${letter} escape`);
  return code;
}

/** Starts after the `[`. */
export function readClass(reader: PatternReader): CodePoints {
  const negated = reader.take('^');
  const sets: CodePoints[] = [];
  while (!reader.take(']')) {
    const from = readClassItem(reader);
    if (!reader.sees('-') || reader.sees('-]')) {
      sets.push(from);
      continue;
    }
    reader.skip(1);
    const to = readClassItem(reader);
    sets.push(...toRange(reader, from, to));
  }
  const set = unite(...sets);
  return negated ? negate(set) : set;
}

function readClassItem(reader: PatternReader): CodePoints {
  if (reader.take('\\b')) return singlePoint(8);
  return reader.sees('\\') ? readEscape(reader) : singlePoint(reader.next());
}

function toRange(reader: PatternReader, from: CodePoints, to: CodePoints): CodePoints[] {
  const isSingle = (set: CodePoints): boolean => set.length === 1 && set[0]?.[0] === set[0]?.[1];
  // As in [\w-.]: a hyphen, not a range.
  if (!isSingle(from) || !isSingle(to)) return [from, singlePoint(0x2d), to];
  const [first, last] = [from[0]?.[0] as number, to[0]?.[0] as number];
  if (first > last) throw reader.refuse('has a class with a range in reverse order');
  return [[[first, last]]];
}
