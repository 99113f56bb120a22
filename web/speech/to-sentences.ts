// The sentences of a Markdown text as a voice reads them: without marks, addresses and code.

import { Lexer, type Token, type Tokens } from 'marked';
import { t } from '../language/language.ts';

/** Some browsers stop in the middle of a longer text. */
const maxCharacters = 200;

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

export function toSentences(markdown: string): string[] {
  const blocks = Lexer.lex(markdown).flatMap(readBlock);
  return blocks
    .flatMap((text) => Array.from(sentences.segment(text.replaceAll(/\s+/g, ' ')), ({ segment }) => segment.trim()))
    .flatMap(splitLong)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function readBlock(token: Token): string[] {
  if (token.type === 'code') return [t('Code.')];
  if (token.type === 'html') return [];
  if (token.type === 'list') return (token as Tokens.List).items.flatMap(({ tokens }) => tokens.flatMap(readBlock));
  if (token.type === 'blockquote') return (token as Tokens.Blockquote).tokens.flatMap(readBlock);
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map(({ tokens }) => readInline(tokens)).join(', '));
  }
  return [readInline([token])];
}

function readInline(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html' || token.type === 'def') return '';
      if (token.type === 'br') return ' ';
      if ('tokens' in token && token.tokens !== undefined) return readInline(token.tokens);
      return 'text' in token ? String(token.text) : '';
    })
    .join('');
}

/** At a space, if there is one. */
function splitLong(sentence: string): string[] {
  if (sentence.length <= maxCharacters) return [sentence];
  const space = sentence.lastIndexOf(' ', maxCharacters);
  const end = space > 0 ? space : maxCharacters;
  return [sentence.slice(0, end), ...splitLong(sentence.slice(end).trimStart())];
}
