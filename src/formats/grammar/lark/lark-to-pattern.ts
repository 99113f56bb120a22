// Converts a Lark grammar without recursion to a regular expression: every name is replaced by its definition. Grammars of
// tools, such as that of a patch, are of this kind.

import { grammarLimits } from '../limits/limits.ts';
import { commonTerminals } from './common-terminals.ts';
import { larkError } from './lark-tokens.ts';
import { type LarkExpression, parseLark } from './parse-lark.ts';

const startRule = 'start';
const maxCharacters = 64 * 1024;
// Groups of the pattern nest as deeply as names refer to each other.
const maxDepth = grammarLimits.patternDepth;

/** Throws `bad_request` for anything that a regular expression cannot describe. */
export function larkToPattern(source: string): string {
  if (source.length > maxCharacters) throw larkError(`is longer than ${maxCharacters} characters`);
  const definitions = parseLark(source);
  // A name that is used often is expanded once.
  const expanded = new Map<string, string>();

  const ofName = (name: string, depth: number): string => {
    const known = expanded.get(name);
    if (known !== undefined) return known;
    const definition = definitions.get(name);
    if (definition === undefined) throw larkError(`does not define ${name.slice(0, 100)}`);
    if (depth > maxDepth) throw larkError(`is recursive, or nested more than ${maxDepth} levels deep`);
    const text = typeof definition === 'string' ? importOf(definition) : ofExpression(definition, depth + 1);
    expanded.set(name, text);
    return text;
  };

  const ofExpression = (expression: LarkExpression, depth: number): string => {
    const text = writeExpression(expression, (name) => ofName(name, depth));
    if (text.length > grammarLimits.patternLength)
      throw larkError(`has more than ${grammarLimits.patternLength} characters without names`);
    return text;
  };

  return ofName(startRule, 0);
}

function importOf(path: string): string {
  const [, name = ''] = /^common\.([A-Z_]+)$/.exec(path) ?? [];
  const text = Object.hasOwn(commonTerminals, name) ? commonTerminals[name] : undefined;
  if (text === undefined) throw larkError(`imports ${path.slice(0, 100)}, which is not known`);
  return text;
}

function writeExpression(expression: LarkExpression, ofName: (name: string) => string): string {
  switch (expression.kind) {
    case 'name':
      return `(?:${ofName(expression.name)})`;
    case 'pattern':
      return expression.source;
    case 'sequence':
      return joinBounded(expression.items, '', ofName);
    case 'choice':
      return `(?:${joinBounded(expression.options, '|', ofName)})`;
    case 'repeat':
      return `(?:${writeExpression(expression.item, ofName)})${expression.quantifier}`;
  }
}

/** Ends before the text becomes longer than any pattern: names can double it at every level. */
function joinBounded(items: readonly LarkExpression[], separator: string, ofName: (name: string) => string): string {
  let joined = '';
  for (const [index, item] of items.entries()) {
    joined += (index === 0 ? '' : separator) + writeExpression(item, ofName);
    if (joined.length > grammarLimits.patternLength)
      throw larkError(`has more than ${grammarLimits.patternLength} characters without names`);
  }
  return joined;
}
