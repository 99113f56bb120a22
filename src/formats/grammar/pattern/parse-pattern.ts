// Reads the regular expressions of `pattern`, as JavaScript's with the flag u: literals, classes, groups, alternation and
// quantifiers, ^ and $ at the ends, and looks ahead from the beginning.

import { limits } from '../limits.ts';
import { schemaError } from '../schema-error.ts';
import { codePointsOf, singlePoint } from './code-points.ts';
import { anyText, asChoice, inSequence, type Pattern, type PatternNode } from './pattern.ts';
import { anyCharacter, createPatternReader, type PatternReader, readClass, readEscape } from './pattern-characters.ts';

export function parsePattern(source: string, path: string): Pattern {
  if (source.length > limits.patternLength)
    throw schemaError(path, `is longer than ${limits.patternLength} characters`);
  const reader = createPatternReader(codePointsOf(source), path);
  const branches = [readBranch(reader)];
  while (reader.take('|')) branches.push(readBranch(reader));
  if (!reader.atEnd())
    throw reader.refuse(`has a ${reader.sees(')') ? ')' : '$'} in a place where it is not supported`);
  const lookaheads = branches.flatMap((branch) => branch.lookaheads);
  if (lookaheads.length > 0 && branches.length > 1) throw reader.refuse('looks ahead in one of several branches');
  return { node: asChoice(branches.map(({ node }) => node)), lookaheads };
}

interface Branch {
  readonly node: PatternNode;
  readonly lookaheads: Pattern['lookaheads'];
}

/** A branch of the whole pattern. Where it is not anchored, anything may stand before and after. */
function readBranch(reader: PatternReader): Branch {
  const anchored = reader.take('^');
  const lookaheads: Pattern['lookaheads'][number][] = [];
  while (reader.sees('(?=') || reader.sees('(?!')) {
    if (!anchored) throw reader.refuse('looks ahead without ^ before it');
    lookaheads.push(readLookahead(reader));
  }
  const items = readItems(reader, 0);
  const ended = reader.take('$');
  return { node: inSequence([...(anchored ? [] : [anyText]), ...items, ...(ended ? [] : [anyText])]), lookaheads };
}

function readLookahead(reader: PatternReader): Pattern['lookaheads'][number] {
  const negated = reader.sees('(?!');
  reader.skip(3);
  const options: PatternNode[] = [];
  do {
    const items = readItems(reader, 1);
    options.push(inSequence(reader.take('$') ? items : [...items, anyText]));
  } while (reader.take('|'));
  if (!reader.take(')')) throw reader.refuse('has a group without its end');
  return { negated, node: asChoice(options) };
}

/** As far as the branch goes. */
function readItems(reader: PatternReader, depth: number): PatternNode[] {
  const items: PatternNode[] = [];
  while (!reader.atEnd() && !reader.sees('|') && !reader.sees(')') && !reader.sees('$'))
    items.push(readQuantified(reader, depth));
  return items;
}

function readQuantified(reader: PatternReader, depth: number): PatternNode {
  const item = readAtom(reader, depth);
  const times = readQuantifier(reader);
  if (!times) return item;
  reader.take('?');
  if (['*', '+', '?', '{'].some((sign) => reader.sees(sign))) throw reader.refuse('has two quantifiers in a row');
  return { kind: 'repeat', item, ...times };
}

function readQuantifier(reader: PatternReader): { least: number; most: number } | undefined {
  if (reader.take('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
  if (reader.take('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
  if (reader.take('?')) return { least: 0, most: 1 };
  if (!reader.sees('{')) return undefined;
  const [whole, from = '', comma, to = ''] = reader.match(/^\{(\d{1,9})(,)?(\d{1,9})?\}/) ?? [];
  if (whole === undefined) throw reader.refuse('has a { that is no quantifier');
  const least = Number(from);
  const most = comma === undefined ? least : to === '' ? Number.POSITIVE_INFINITY : Number(to);
  if (most < least) throw reader.refuse(`has a quantifier from ${least} down to ${most}`);
  if (Math.max(least, Number.isFinite(most) ? most : 0) > limits.repetition)
    throw reader.refuse(`counts beyond ${limits.repetition}`);
  return { least, most };
}

function readAtom(reader: PatternReader, depth: number): PatternNode {
  reader.countNode();
  if (reader.take('(')) return readGroup(reader, depth + 1);
  if (reader.take('[')) return { kind: 'set', points: readClass(reader) };
  if (reader.take('.')) return { kind: 'set', points: anyCharacter };
  if (reader.sees('\\')) return { kind: 'set', points: readEscape(reader) };
  for (const sign of ['^', '*', '+', '?', '{', '}', ']'])
    if (reader.sees(sign)) throw reader.refuse(`has a ${sign} in a place where it is not supported`);
  return { kind: 'set', points: singlePoint(reader.next()) };
}

function readGroup(reader: PatternReader, depth: number): PatternNode {
  if (depth > limits.patternDepth) throw reader.refuse(`has more than ${limits.patternDepth} groups inside each other`);
  if (reader.sees('?')) {
    const opening = reader.match(/^\?(?::|<[A-Za-z_$][\w$]*>)/);
    if (!opening) throw reader.refuse('looks ahead or behind inside, which is not supported');
  }
  const options: PatternNode[] = [];
  do options.push(inSequence(readItems(reader, depth)));
  while (reader.take('|'));
  if (reader.sees('$')) throw reader.refuse('has a $ in a place where it is not supported');
  if (!reader.take(')')) throw reader.refuse('has a group without its end');
  return asChoice(options);
}
