// Parses a Lark grammar: rules, terminals, strings, regular expressions, ranges, groups, repetitions and imports. What
// changes the meaning of a grammar in other ways, such as %ignore, is refused.

import type { HearthError } from '../../../base/errors.ts';
import { grammarLimits } from '../limits/limits.ts';
import { placeIn } from '../limits/schema-error.ts';
import { type LarkFailure, literalOf, rangeOf, regexOf } from './lark-texts.ts';
import { type LarkToken, larkError, readLarkTokens } from './lark-tokens.ts';

export type LarkExpression =
  | { readonly kind: 'name'; readonly name: string }
  /** A regular expression. */
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'sequence'; readonly items: readonly LarkExpression[] }
  | { readonly kind: 'choice'; readonly options: readonly LarkExpression[] }
  | { readonly kind: 'repeat'; readonly item: LarkExpression; readonly quantifier: string };

/** By name. A string is the path of an import. */
type LarkDefinitions = ReadonlyMap<string, LarkExpression | string>;

export function parseLark(source: string): LarkDefinitions {
  const tokens = readLarkTokens(source);
  const definitions = new Map<string, LarkExpression | string>();
  let position = 0;

  const fail = (reason: string, token = tokens[position]): HearthError =>
    larkError(`${reason} in ${placeIn(source, token?.at ?? source.length)}`);
  const textAt = (index: number): string | undefined => {
    const token = tokens[index];
    return token === undefined || token.kind === 'line' ? undefined : token.text;
  };
  const take = (text: string): boolean => {
    if (tokens[position]?.kind !== 'sign' || textAt(position) !== text) return false;
    position++;
    return true;
  };
  const next = (kind: LarkToken['kind']): string => {
    const text = textAt(position);
    if (tokens[position]?.kind !== kind || text === undefined) throw fail(`is not complete: expected a ${kind}`);
    position++;
    return text;
  };
  const skipLines = (): void => {
    while (tokens[position]?.kind === 'line') position++;
  };

  /** Alternatives may start on new lines. */
  const readChoice = (depth: number): LarkExpression => {
    if (depth > grammarLimits.patternDepth) throw fail('has groups that are nested too deeply');
    const options = [readSequence(depth)];
    for (;;) {
      const end = position;
      skipLines();
      if (!take('|')) {
        // Inside of a group, lines do not count.
        if (depth === 0) position = end;
        return options.length === 1 ? (options[0] as LarkExpression) : { kind: 'choice', options };
      }
      options.push(readSequence(depth));
    }
  };

  const readSequence = (depth: number): LarkExpression => {
    const items: LarkExpression[] = [];
    for (;;) {
      if (depth > 0) skipLines();
      const token = tokens[position];
      const starts = token?.kind === 'name' || token?.kind === 'string' || token?.kind === 'regex';
      if (!starts && !(token?.kind === 'sign' && ['(', '['].includes(token.text))) break;
      items.push(readRepeated(depth));
    }
    // The name of an alternative.
    if (take('->')) next('name');
    return { kind: 'sequence', items };
  };

  const readRepeated = (depth: number): LarkExpression => {
    const item = readAtom(depth);
    for (const quantifier of ['?', '*', '+']) if (take(quantifier)) return { kind: 'repeat', item, quantifier };
    if (!take('~')) return item;
    const min = readCount();
    const max = take('..') ? readCount() : min;
    return { kind: 'repeat', item, quantifier: `{${min},${max}}` };
  };

  const readCount = (): number => {
    const text = next('sign');
    if (!/^\d{1,6}$/.test(text)) throw fail('has a ~ without a number');
    return Number(text);
  };

  const readAtom = (depth: number): LarkExpression => {
    if (take('(')) return readGroup(')', depth);
    if (take('[')) return { kind: 'repeat', item: readGroup(']', depth), quantifier: '?' };
    const token = tokens[position];
    const failHere = (reason: string): HearthError => fail(reason, token);
    position++;
    if (token?.kind === 'regex') return { kind: 'pattern', source: regexOf(token.text, failHere) };
    if (token?.kind === 'name') return { kind: 'name', name: token.text };
    const text = token?.kind === 'string' ? token.text : '""';
    if (take('..')) return { kind: 'pattern', source: rangeOf(text, next('string'), failHere) };
    return { kind: 'pattern', source: literalOf(text, failHere) };
  };

  const readGroup = (end: string, depth: number): LarkExpression => {
    const inside = readChoice(depth + 1);
    if (!take(end)) throw fail('has an unclosed group');
    return inside;
  };

  for (skipLines(); position < tokens.length; skipLines()) {
    if (tokens[position]?.kind === 'directive') {
      for (const [name, path] of readImport(next('directive'), fail)) definitions.set(name, path);
      continue;
    }
    // Both change only the tree that Lark builds.
    if (!take('?')) take('!');
    const name = next('name');
    // A priority.
    if (take('.')) next('sign');
    if (!take(':')) throw fail(`has something else than a definition at ${name.slice(0, 100)}`);
    definitions.set(name, readChoice(0));
  }
  return definitions;
}

function readImport(directive: string, fail: LarkFailure): (readonly [name: string, path: string])[] {
  const one = /^%import\s+([A-Za-z_.]+)(?:\s*->\s*([A-Za-z_]+))?\s*$/.exec(directive);
  if (one !== null) {
    const [, path = '', alias] = one;
    return [[alias ?? path.slice(path.lastIndexOf('.') + 1), path]];
  }
  const many = /^%import\s+([a-z_]+)\s*\(([A-Za-z_,\s]+)\)\s*$/.exec(directive);
  if (many === null) throw fail(`has a ${directive.slice(0, 20)}, which is not supported`);
  const [, module = '', names = ''] = many;
  return names.split(',').map((name) => [name.trim(), `${module}.${name.trim()}`]);
}
