// Reads the blocks of a Markdown text that grows. Only the last block can change when text is added, so that those
// before it are read once and keep their identity: the page does not render them again.

import { Lexer, Marked, type Token, type TokensList } from 'marked';
import { mathExtensions } from './math-extension.ts';

interface Block {
  /** Where the block begins in the text. It identifies the block. */
  readonly start: number;
  readonly token: Token;
}

// Models rarely end a line with two spaces where they want a new one.
const { defaults } = new Marked({ gfm: true, breaks: true, extensions: mathExtensions });

export class BlockReader {
  #settled: readonly Block[] = [];
  #settledText = '';
  #links: TokensList['links'] = {};

  read(text: string): readonly Block[] {
    const source = text.replace(/\r\n?/g, '\n');
    if (!source.startsWith(this.#settledText)) {
      this.#settled = [];
      this.#settledText = '';
      this.#links = {};
    }
    const rest = source.slice(this.#settledText.length);
    const { tokens, links } = lex(rest, this.#links);
    const blocks = toBlocks(tokens, this.#settledText.length);
    const all = [...this.#settled, ...blocks];
    const isComplete = tokens.map(({ raw }) => raw).join('') === rest;
    const last = blocks.findLastIndex(({ token }) => token.type !== 'space');
    if (isComplete && last > 0) {
      this.#settled = [...this.#settled, ...blocks.slice(0, last)];
      this.#settledText = source.slice(0, blocks[last]?.start);
      this.#links = links;
    }
    return all.filter(({ token }) => token.type !== 'space');
  }
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
