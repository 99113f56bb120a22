// Splits a Lark grammar into tokens. Line ends count only before a new definition.

import { HearthError } from '../../../base/errors.ts';
import { placeIn } from '../limits/schema-error.ts';

export interface LarkToken {
  readonly kind: 'name' | 'sign' | 'string' | 'regex' | 'directive' | 'line';
  readonly text: string;
  /** Where it begins in the grammar. */
  readonly at: number;
}

const patterns: readonly (readonly [LarkToken['kind'] | 'skipped', RegExp])[] = [
  ['skipped', /[ \t\f\r]+|\/\/[^\n]*/y],
  ['line', /\n/y],
  ['directive', /%[a-z]+[^\n]*/y],
  ['string', /"(?:[^"\\\n]|\\[^\n])*"i?/y],
  ['regex', /\/(?:[^/\\\n]|\\[^\n])+\/[imslux]*/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['sign', /->|\.\.|[:|()[\]?*+~!.,]|\d+/y],
];

/** Takes time in proportion to the length of the grammar. */
export function readLarkTokens(source: string): LarkToken[] {
  const tokens: LarkToken[] = [];
  let position = 0;
  while (position < source.length) {
    const [kind, text] = matchAt(source, position);
    if (kind !== 'skipped') tokens.push({ kind, text, at: position });
    position += text.length;
  }
  return tokens;
}

function matchAt(source: string, position: number): readonly [LarkToken['kind'] | 'skipped', string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position;
    const [text] = pattern.exec(source) ?? [];
    if (text !== undefined) return [kind, text];
  }
  throw larkError(`has a character that is not supported in ${placeIn(source, position)}`);
}

export function larkError(reason: string): HearthError {
  return new HearthError('bad_request', `the Lark grammar ${reason}`);
}
