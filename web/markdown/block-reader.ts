// Reads the blocks of a Markdown text that grows. Only the last block can change when text is added, so that those
// before it are read once and keep their identity: the page does not render them again.

import { Lexer, Marked, type Token, type TokensList } from 'marked';
import { mathExtensions } from './math-extension.ts';

export interface Block {
  /** Where the block begins in the text. It identifies the block. */
  readonly start: number;
  readonly token: Token;
}

export interface BlockReader {
  read(text: string): readonly Block[];
}

// Models rarely end a line with two spaces where they want a new one.
const { defaults } = new Marked({ gfm: true, breaks: true, extensions: mathExtensions });

export function createBlockReader(): BlockReader {
  let settled: readonly Block[] = [];
  let settledText = '';
  let links: TokensList['links'] = {};

  return {
    read(text) {
      const source = text.replace(/\r\n?/g, '\n');
      if (!source.startsWith(settledText)) {
        settled = [];
        settledText = '';
        links = {};
      }
      const rest = source.slice(settledText.length);
      const lexed = lex(rest, links);
      const blocks = toBlocks(lexed.tokens, settledText.length);
      const all = [...settled, ...blocks];
      const isComplete = lexed.tokens.map(({ raw }) => raw).join('') === rest;
      const last = blocks.findLastIndex(({ token }) => token.type !== 'space');
      if (isComplete && last > 0) {
        settled = [...settled, ...blocks.slice(0, last)];
        settledText = source.slice(0, blocks[last]?.start);
        links = lexed.links;
      }
      return all.filter(({ token }) => token.type !== 'space');
    },
  };
}

function lex(source: string, links: TokensList['links']): { tokens: readonly Token[]; links: TokensList['links'] } {
  const lexer = new Lexer(defaults);
  Object.assign(lexer.tokens.links, links);
  try {
    return { tokens: lexer.lex(source), links: lexer.tokens.links };
  } catch {
    // Thousands of nested quotes exceed the stack.
    return { tokens: [{ type: 'text', raw: source, text: source }], links };
  }
}

function toBlocks(tokens: readonly Token[], offset: number): Block[] {
  let start = offset;
  return tokens.map((token) => {
    const block = { start, token };
    start += token.raw.length;
    return block;
  });
}
