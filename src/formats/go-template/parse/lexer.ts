// Splits a template into text and the tokens of its {{ actions }}.
//
//   template = { text | "{{" [ "-" blank ] action [ blank "-" ] "}}" }
//   action   = comment | { blank | token }
//
// "{{- " trims the white space before it, " -}}" the white space after it. A comment must directly follow the braces or
// the trim marker, as in Go.

import { createLocator, type Position, templateError } from '../values/errors.ts';
import { parseLimits } from '../values/limits.ts';

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'field'
  | 'variable'
  | 'word'
  | 'number'
  | 'character'
  | 'string'
  | 'symbol'
  | 'end';

export interface TemplateToken {
  readonly kind: TokenKind;
  readonly text: string;
  readonly position: Position;
  /** No space before it: `.A.B` is one path, `.A .B` are two. */
  readonly glued: boolean;
}

interface Source {
  readonly text: string;
  readonly locate: (offset: number) => Position;
}

const isBlank = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\n' || character === '\r';

/** The tokens of a template. The last one has the kind `end`. */
export function tokenize(text: string): TemplateToken[] {
  if (text.length > parseLimits.sourceLength)
    throw templateError(`it is longer than ${parseLimits.sourceLength} characters`, { line: 1, column: 1 });
  const source: Source = { text, locate: createLocator(text) };
  const tokens: TemplateToken[] = [];
  let offset = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', offset)) {
    const trims = text[open + 2] === '-' && isBlank(text[open + 3]);
    pushText(tokens, source, offset, trims ? skipBlanksBack(text, offset, open) : open);
    const action = readAction(source, open, trims ? open + 4 : open + 2);
    for (const token of action.tokens) tokens.push(token);
    offset = action.trimsAfter ? skipBlanks(text, action.end) : action.end;
  }
  pushText(tokens, source, offset, text.length);
  tokens.push({ kind: 'end', text: 'the end of the template', position: source.locate(text.length), glued: false });
  return tokens;
}

function pushText(tokens: TemplateToken[], { text, locate }: Source, start: number, end: number): void {
  if (end > start) tokens.push({ kind: 'text', text: text.slice(start, end), position: locate(start), glued: false });
}

function skipBlanks(text: string, start: number): number {
  let offset = start;
  while (isBlank(text[offset])) offset++;
  return offset;
}

function skipBlanksBack(text: string, start: number, end: number): number {
  let offset = end;
  while (offset > start && isBlank(text[offset - 1])) offset--;
  return offset;
}

interface ActionTokens {
  readonly tokens: readonly TemplateToken[];
  readonly end: number;
  readonly trimsAfter: boolean;
}

function readAction(source: Source, open: number, start: number): ActionTokens {
  const { text, locate } = source;
  const position = locate(open);
  if (text.startsWith('/*', start)) return readComment(source, start);
  const tokens: TemplateToken[] = [{ kind: 'open', text: '{{', position, glued: false }];
  let offset = start;
  for (;;) {
    const next = skipBlanks(text, offset);
    const trimsAfter = next > offset && text.startsWith('-}}', next);
    if (trimsAfter || text.startsWith('}}', next)) {
      tokens.push({ kind: 'close', text: '}}', position: locate(next), glued: next === offset });
      return { tokens, end: next + (trimsAfter ? 3 : 2), trimsAfter };
    }
    if (next >= text.length) throw templateError('unclosed action', position);
    const token = readToken(source, next, next === offset);
    tokens.push(token);
    offset = next + token.text.length;
  }
}

function readComment({ text, locate }: Source, start: number): ActionTokens {
  const end = text.indexOf('*/', start + 2);
  if (end === -1) throw templateError('unclosed comment', locate(start));
  const trimsAfter = isBlank(text[end + 2]) && text.startsWith('-}}', end + 3);
  if (!trimsAfter && !text.startsWith('}}', end + 2))
    throw templateError('comment ends before closing delimiter', locate(end));
  return { tokens: [], end: end + (trimsAfter ? 6 : 4), trimsAfter };
}

const namePatterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['field', /\.(?![0-9])[\p{L}\p{Nd}_]+/uy],
  ['variable', /\$[\p{L}\p{Nd}_]*/uy],
  ['word', /(?![0-9])[\p{L}\p{Nd}_]+/uy],
  ['symbol', /\.(?![0-9])/y],
];

const numberStart = /[+-]|\.?[0-9]/y;
const number =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*|0[bB][01_]*|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;
const afterNumber = /[\p{L}\p{Nd}_]/uy;

const matchAt = (pattern: RegExp, text: string, offset: number): string | undefined => {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
};

function readToken({ text, locate }: Source, offset: number, glued: boolean): TemplateToken {
  const position = locate(offset);
  const first = text[offset] as string;
  if (first === '"' || first === "'" || first === '`') {
    const quoted = readQuoted(text, offset, first);
    if (quoted === undefined) throw templateError(`unterminated ${first}`, position);
    return { kind: first === "'" ? 'character' : 'string', text: quoted, position, glued };
  }
  if (matchAt(numberStart, text, offset) !== undefined) {
    const digits = matchAt(number, text, offset) as string;
    if (matchAt(afterNumber, text, offset + digits.length) !== undefined)
      throw templateError(`bad number syntax after ${JSON.stringify(digits)}`, position);
    return { kind: 'number', text: digits, position, glued };
  }
  for (const [kind, pattern] of namePatterns) {
    const name = matchAt(pattern, text, offset);
    if (name === undefined) continue;
    requireTerminator(text, offset + name.length, locate);
    return { kind, text: name, position, glued };
  }
  return { kind: 'symbol', text: readSymbol(text, offset, position), position, glued };
}

function readSymbol(text: string, offset: number, position: Position): string {
  if (text.startsWith(':=', offset)) return ':=';
  const symbol = String.fromCodePoint(text.codePointAt(offset) as number);
  if (symbol === ':') throw templateError('expected :=', position);
  return symbol;
}

// Go requires one of these after a name; `$x=1`, for example, is an error.
function requireTerminator(text: string, offset: number, locate: Source['locate']): void {
  const next = text[offset];
  if (next === undefined || isBlank(next) || '.,|:)('.includes(next) || text.startsWith('}}', offset)) return;
  throw templateError(`bad character ${JSON.stringify(next)}`, locate(offset));
}

/** With its quotes; undefined if it does not end. Only raw strings may contain line feeds. */
function readQuoted(text: string, start: number, quote: string): string | undefined {
  for (let offset = start + 1; offset < text.length; offset++) {
    const character = text[offset];
    if (character === quote) return text.slice(start, offset + 1);
    if (quote === '`') continue;
    if (character === '\n') return undefined;
    if (character === '\\' && text[++offset] === '\n') return undefined;
  }
  return undefined;
}
