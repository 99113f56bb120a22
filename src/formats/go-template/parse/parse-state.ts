// The state of the parser: the next token, the declared variables and the depth.

import { type Position, templateError } from '../values/errors.ts';
import { parseLimits } from '../values/limits.ts';
import type { TemplateToken, TokenKind } from './lexer.ts';
import type { Node } from './tree.ts';

export interface ParseState {
  readonly tokens: readonly TemplateToken[];
  index: number;
  depth: number;
  /** Names in the order of declaration. A block removes its own at its end. */
  variables: string[];
  /** The number of enclosing ranges; break and continue need one. */
  ranges: number;
  readonly definitions: Map<string, readonly Node[]>;
}

export function createParseState(tokens: readonly TemplateToken[]): ParseState {
  return { tokens, index: 0, depth: 0, variables: ['$'], ranges: 0, definitions: new Map() };
}

export function peek(state: ParseState, ahead = 0): TemplateToken {
  return state.tokens[Math.min(state.index + ahead, state.tokens.length - 1)] as TemplateToken;
}

/** Consumes the next token, except `end`. */
export function take(state: ParseState): TemplateToken {
  const token = peek(state);
  if (token.kind !== 'end') state.index++;
  return token;
}

export function isNext(state: ParseState, kind: TokenKind, text?: string): boolean {
  const token = peek(state);
  return token.kind === kind && (text === undefined || token.text === text);
}

export function takeIf(state: ParseState, kind: TokenKind, text?: string): TemplateToken | undefined {
  return isNext(state, kind, text) ? take(state) : undefined;
}

export function expect(state: ParseState, kind: TokenKind, context: string): TemplateToken {
  return takeIf(state, kind) ?? failUnexpected(peek(state), context);
}

export function failUnexpected({ kind, text, position }: TemplateToken, context: string): never {
  throw templateError(kind === 'end' ? 'unexpected EOF' : `unexpected ${JSON.stringify(text)} in ${context}`, position);
}

/** Runs a part of the parser one level deeper. The depth is bounded, so that a template cannot overflow the stack. */
export function nested<T>(state: ParseState, position: Position, parse: () => T): T {
  if (++state.depth > parseLimits.depth)
    throw templateError(`nested more than ${parseLimits.depth} levels deep`, position);
  const result = parse();
  state.depth--;
  return result;
}
