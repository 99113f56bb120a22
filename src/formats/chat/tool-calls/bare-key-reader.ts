// Reads arguments with bare keys and quotes of their own, after the opening brace: `city:<escape>Paris<escape>,days:[1,2]}`.

import { undecidedLength } from '../../../base/text/undecided-length.ts';
import { maxDepth, type Scan } from './balance-scanner.ts';
import { broken, type CallReader, open, type ToCalls } from './call-scan.ts';
import { createLiteralMatcher, partial } from './literal-matcher.ts';
import { parseBareKeys } from './parse-bare-keys.ts';

export function createBareKeyReader(quote: string, toCalls: ToCalls): CallReader {
  const quotes = createLiteralMatcher([quote]);
  let depth = 1;
  let inText = false;
  let value = '{';

  /** Reads up to the end of a text. */
  const readText = (text: string, at: number): Scan => {
    const found = text.indexOf(quote, at);
    if (found === -1) return { state: 'open', end: text.length - undecidedLength(text.slice(at), quote) };
    inText = false;
    return { state: 'complete', end: found + quote.length };
  };

  /** Reads a quote or one character. */
  const readOutside = (text: string, at: number, ended: boolean): Scan => {
    const character = text[at] as string;
    if (character === '<') {
      const found = quotes.match(text, at, ended);
      if (typeof found !== 'string') return { state: found === partial ? 'open' : 'broken', end: at };
      inText = true;
      return { state: 'complete', end: at + found.length };
    }
    if ('{['.includes(character)) depth++;
    else if ('}]'.includes(character)) depth--;
    return depth > maxDepth ? { state: 'broken', end: at } : { state: 'complete', end: at + 1 };
  };

  return {
    read(text, from, ended) {
      let at = from;
      while (at < text.length && depth > 0) {
        const { state, end } = inText ? readText(text, at) : readOutside(text, at, ended);
        value += text.slice(at, end);
        at = end;
        if (state !== 'complete') return { state, end, calls: [] };
      }
      if (depth > 0) return open(at);
      const calls = toCalls(parseBareKeys(value, quote));
      return calls === undefined ? broken(at) : { state: 'complete', end: at, calls };
    },
  };
}
