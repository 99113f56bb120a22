// Where a parser stands: the token that comes next, the variables that exist here, how deep it is.

import { type Position, templateError } from '../errors.ts';
import { parseLimits } from '../limits.ts';
import type { Node } from '../tree.ts';
import type { Token, TokenKind } from './lexer.ts';

export interface ParseState {
  readonly tokens: readonly Token[];
  index: number;
  depth: number;
  /** Names in the order of their declaration; a block takes its own away again. */
  variables: string[];
  /** How many ranges are around; break and continue need one. */
  ranges: number;
  readonly definitions: Map<string, readonly Node[]>;
}

export function createParseState(tokens: readonly Token[]): ParseState {
  return { tokens, index: 0, depth: 0, variables: ['$'], ranges: 0, definitions: new Map() };
}

export function peek(state: ParseState, ahead = 0): Token {
  return state.tokens[Math.min(state.index + ahead, state.tokens.length - 1)] as Token;
}

/** Takes the next token; the `end` stays, however often it is taken. */
export function take(state: ParseState): Token {
  const token = peek(state);
  if (token.kind !== 'end') state.index++;
  return token;
}

export function isNext(state: ParseState, kind: TokenKind, text?: string): boolean {
  const token = peek(state);
  return token.kind === kind && (text === undefined || token.text === text);
}

export function takeIf(state: ParseState, kind: TokenKind, text?: string): Token | undefined {
  return isNext(state, kind, text) ? take(state) : undefined;
}

export function expect(state: ParseState, kind: TokenKind, context: string): Token {
  return takeIf(state, kind) ?? failUnexpected(peek(state), context);
}

export function failUnexpected({ kind, text, position }: Token, context: string): never {
  throw templateError(kind === 'end' ? 'unexpected EOF' : `unexpected ${JSON.stringify(text)} in ${context}`, position);
}

/** Runs a part of the parser one level deeper: a hostile template nests until the stack is full. */
export function nested<T>(state: ParseState, position: Position, parse: () => T): T {
  if (++state.depth > parseLimits.depth) throw templateError(`nested more than ${parseLimits.depth} deep`, position);
  const result = parse();
  state.depth--;
  return result;
}
