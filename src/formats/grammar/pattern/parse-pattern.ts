// Parses the regular expressions of `pattern`, in JavaScript syntax with the flag u: literals, classes, groups,
// alternation, quantifiers, ^ and $, and lookahead at the start.

import { grammarLimits } from '../limits/limits.ts';
import { schemaError } from '../limits/schema-error.ts';
import { allCodePoints, codePointsOf, singlePoint } from './code-points.ts';
import {
  anyText,
  type Pattern,
  type PatternNode,
  patternChoice,
  patternSequence,
  textEnd,
  textStart,
} from './pattern.ts';
import { createPatternReader, dotCharacters, type PatternReader, readClass, readEscape } from './pattern-characters.ts';

export function parsePattern(source: string, path: string): Pattern {
  const reader = readPattern(source, path);
  if (hasInnerAnchors(source)) return readFramed(reader, [anyFramedText, anyFramedText]);
  const branches = [readBranch(reader)];
  while (reader.take('|')) branches.push(readBranch(reader));
  if (!reader.atEnd()) throw reader.refuse(`has a ${reader.sees(')') ? ')' : '$'} where it is not supported`);
  const lookaheads = branches.flatMap((branch) => branch.lookaheads);
  if (lookaheads.length > 0 && branches.length > 1) throw reader.refuse('has a lookahead in one of several branches');
  return { node: patternChoice(branches.map(({ node }) => node)), lookaheads };
}

function readPattern(source: string, path: string): PatternReader {
  if (source.length > grammarLimits.patternLength)
    throw schemaError(path, `is longer than ${grammarLimits.patternLength} characters`);
  return createPatternReader(codePointsOf(source), path);
}

/** Whether ^ or $ is elsewhere than at the ends of the branches. Patterns with a lookahead are not read that way. */
function hasInnerAnchors(source: string): boolean {
  if (/\(\?[=!<]/.test(source)) return false;
  const plain = withoutHidden(source);
  let depth = 0;
  return plain.some((one, index) => {
    if (one === '(') depth++;
    if (one === ')') depth--;
    const isAtEnd = (neighbour: string | undefined): boolean => depth === 0 && (neighbour ?? '|') === '|';
    return (one === '^' && !isAtEnd(plain[index - 1])) || (one === '$' && !isAtEnd(plain[index + 1]));
  });
}

/** Escapes and classes, which hide the characters in them, become an x. */
function withoutHidden(source: string): string[] {
  let isInClass = false;
  let isEscaped = false;
  return [...source].map((one) => {
    const isHidden = isInClass || isEscaped;
    if (isEscaped) isEscaped = false;
    else if (one === '\\') isEscaped = true;
    else if (one === '[') isInClass = true;
    else if (one === ']') isInClass = false;
    return isHidden || isInClass || isEscaped ? 'x' : one;
  });
}

const anyFramedText: PatternNode = {
  kind: 'repeat',
  item: { kind: 'set', points: [...allCodePoints, [textStart, textEnd]] },
  min: 0,
  max: Number.POSITIVE_INFINITY,
};

/** `before` and `after` match what may precede and follow it, including the start and the end of the text. */
function readFramed(reader: PatternReader, [before, after]: readonly [PatternNode, PatternNode]): Pattern {
  const options: PatternNode[] = [];
  do options.push(patternSequence(readItems(reader, { depth: 0, isFramed: true })));
  while (reader.take('|'));
  if (!reader.atEnd()) throw reader.refuse('has a ) where it is not supported');
  return {
    node: patternSequence([before, patternChoice(options), after]),
    isFramed: true,
    lookaheads: [],
  };
}

/** A pattern of the entire text, with or without anchors at its ends. */
export function parseWholePattern(source: string, path: string): Pattern {
  const start = source.startsWith('^') ? 1 : 0;
  const escapes = /(?<!\\)(\\*)\$$/.exec(source)?.[1]?.length ?? 1;
  const inner = source.slice(start, escapes % 2 === 0 ? -1 : undefined);
  if (!hasInnerAnchors(`(?:${inner})`)) return parsePattern(`^(?:${inner})$`, path);
  return readFramed(readPattern(inner, path), [optionalPoint(textStart), optionalPoint(textEnd)]);
}

const optionalPoint = (point: number): PatternNode => ({
  kind: 'repeat',
  item: { kind: 'set', points: singlePoint(point) },
  min: 0,
  max: 1,
});

interface Branch {
  readonly node: PatternNode;
  readonly lookaheads: Pattern['lookaheads'];
}

/** A top-level branch. Without anchors, any text may precede and follow it. */
function readBranch(reader: PatternReader): Branch {
  const anchored = reader.take('^');
  const lookaheads: Pattern['lookaheads'][number][] = [];
  while (reader.sees('(?=') || reader.sees('(?!')) {
    if (!anchored) throw reader.refuse('has a lookahead without ^ before it');
    lookaheads.push(readLookahead(reader));
  }
  const items = readItems(reader, top);
  const ended = reader.take('$');
  return { node: patternSequence([...(anchored ? [] : [anyText]), ...items, ...(ended ? [] : [anyText])]), lookaheads };
}

function readLookahead(reader: PatternReader): Pattern['lookaheads'][number] {
  const negated = reader.sees('(?!');
  reader.skip(3);
  const options: PatternNode[] = [];
  do {
    const items = readItems(reader, { ...top, depth: 1 });
    options.push(patternSequence(reader.take('$') ? items : [...items, anyText]));
  } while (reader.take('|'));
  if (!reader.take(')')) throw reader.refuse('has an unclosed group');
  return { negated, node: patternChoice(options) };
}

interface Place {
  /** Groups around it. */
  readonly depth: number;
  /** Whether ^ and $ can be anywhere. */
  readonly isFramed: boolean;
}

const top: Place = { depth: 0, isFramed: false };

/** Up to the end of the branch. */
function readItems(reader: PatternReader, place: Place): PatternNode[] {
  const items: PatternNode[] = [];
  while (!reader.atEnd() && !reader.sees('|') && !reader.sees(')') && (place.isFramed || !reader.sees('$')))
    items.push(readQuantified(reader, place));
  return items;
}

function readQuantified(reader: PatternReader, place: Place): PatternNode {
  const item = readAtom(reader, place);
  const times = readQuantifier(reader);
  if (!times) return item;
  reader.take('?');
  if (['*', '+', '?', '{'].some((sign) => reader.sees(sign))) throw reader.refuse('has two quantifiers in a row');
  return { kind: 'repeat', item, ...times };
}

function readQuantifier(reader: PatternReader): { min: number; max: number } | undefined {
  if (reader.take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (reader.take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (reader.take('?')) return { min: 0, max: 1 };
  if (!reader.sees('{')) return undefined;
  const [all, from = '', comma, to = ''] = reader.match(/^\{(\d{1,9})(,)?(\d{1,9})?\}/) ?? [];
  if (all === undefined) throw reader.refuse('has a { that is not a quantifier');
  const min = Number(from);
  const max = comma === undefined ? min : to === '' ? Number.POSITIVE_INFINITY : Number(to);
  if (max < min) throw reader.refuse(`has a quantifier whose maximum ${max} is below its minimum ${min}`);
  if (Math.max(min, Number.isFinite(max) ? max : 0) > grammarLimits.repetition)
    throw reader.refuse(`repeats more than ${grammarLimits.repetition} times`);
  return { min, max };
}

function readAtom(reader: PatternReader, place: Place): PatternNode {
  reader.countNode();
  if (reader.take('(')) return readGroup(reader, { ...place, depth: place.depth + 1 });
  if (place.isFramed && reader.take('^')) return { kind: 'set', points: singlePoint(textStart) };
  if (place.isFramed && reader.take('$')) return { kind: 'set', points: singlePoint(textEnd) };
  if (reader.take('[')) return { kind: 'set', points: readClass(reader) };
  if (reader.take('.')) return { kind: 'set', points: dotCharacters };
  if (reader.sees('\\')) return { kind: 'set', points: readEscape(reader) };
  for (const sign of ['^', '*', '+', '?', '{', '}', ']'])
    if (reader.sees(sign)) throw reader.refuse(`has a ${sign} where it is not supported`);
  return { kind: 'set', points: singlePoint(reader.next()) };
}

function readGroup(reader: PatternReader, place: Place): PatternNode {
  if (place.depth > grammarLimits.patternDepth)
    throw reader.refuse(`has groups nested more than ${grammarLimits.patternDepth} levels deep`);
  if (reader.sees('?')) {
    const opening = reader.match(/^\?(?::|<[A-Za-z_$][\w$]*>)/);
    if (!opening) throw reader.refuse('has a lookahead or lookbehind that is not at the start');
  }
  const options: PatternNode[] = [];
  do options.push(patternSequence(readItems(reader, place)));
  while (reader.take('|'));
  if (reader.sees('$')) throw reader.refuse('has a $ where it is not supported');
  if (!reader.take(')')) throw reader.refuse('has an unclosed group');
  return patternChoice(options);
}
