// Cuts a template into text and the tokens inside its {{ actions }}.
//
//   template = { text | "{{" [ "- " ] action [ " -" ] "}}" | "{{" [ "- " ] comment [ " -" ] "}}" }
//
// "{{- " takes the white space before it away, " -}}" the white space after it.

import { createLocator, type Position, templateError } from './errors.ts';

export interface Token {
  readonly kind: 'text' | 'open' | 'close' | 'field' | 'variable' | 'word' | 'number' | 'string' | 'punctuation';
  readonly text: string;
  readonly position: Position;
  /** Nothing stands between it and the token before: `.A.B` is one path, `.A .B` are two. */
  readonly glued?: boolean;
}

const tokenPatterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['field', /\.[A-Za-z_]\w*/y],
  ['variable', /\$\w*/y],
  ['number', /[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['string', /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  ['punctuation', /:=|[=|(),.]/y],
  ['word', /[A-Za-z_]\w*/y],
];

interface Source {
  readonly text: string;
  readonly locate: (offset: number) => Position;
}

export function tokenize(text: string): Token[] {
  const source: Source = { text, locate: createLocator(text) };
  const tokens: Token[] = [];
  let offset = 0;
  let trimNext = false;

  const pushText = (end: number, trimEnd: boolean): void => {
    let part = text.slice(offset, end);
    if (trimNext) part = part.trimStart();
    if (trimEnd) part = part.trimEnd();
    if (part !== '') tokens.push({ kind: 'text', text: part, position: source.locate(offset) });
  };

  while (offset < text.length) {
    const open = text.indexOf('{{', offset);
    if (open === -1) {
      pushText(text.length, false);
      break;
    }
    const trimsBefore = /^\{\{-\s/.test(text.slice(open, open + 4));
    pushText(open, trimsBefore);
    const action = readAction(source, open, trimsBefore ? open + 3 : open + 2);
    tokens.push(...action.tokens);
    trimNext = action.trimsAfter;
    offset = action.end;
  }
  return tokens;
}

interface ActionTokens {
  readonly tokens: readonly Token[];
  readonly end: number;
  readonly trimsAfter: boolean;
}

function readAction(source: Source, open: number, start: number): ActionTokens {
  const { text, locate } = source;
  const at = locate(open);
  const comment = /\s*\/\*[\s\S]*?\*\/(\s+-)?\}\}/y;
  comment.lastIndex = start;
  const commentMatch = comment.exec(text);
  if (commentMatch) return { tokens: [], end: comment.lastIndex, trimsAfter: commentMatch[1] !== undefined };

  const tokens: Token[] = [{ kind: 'open', text: '{{', position: at }];
  let offset = start;
  for (;;) {
    const close = /\s*(\s-)?\}\}/y;
    close.lastIndex = offset;
    const closeMatch = close.exec(text);
    if (closeMatch) {
      tokens.push({ kind: 'close', text: '}}', position: locate(offset) });
      return { tokens, end: close.lastIndex, trimsAfter: closeMatch[1] !== undefined };
    }
    const blank = /\s+/y;
    blank.lastIndex = offset;
    const glued = !blank.test(text);
    if (!glued) offset = blank.lastIndex;
    if (offset >= text.length) throw templateError('unclosed action', at);
    const token = readToken(source, offset);
    tokens.push({ ...token, glued });
    offset += token.text.length;
  }
}

function readToken({ text, locate }: Source, offset: number): Token {
  for (const [kind, pattern] of tokenPatterns) {
    pattern.lastIndex = offset;
    const match = pattern.exec(text)?.[0];
    if (match !== undefined) return { kind, text: match, position: locate(offset) };
  }
  throw templateError(`unexpected ${JSON.stringify(text[offset])} in an action`, locate(offset));
}
