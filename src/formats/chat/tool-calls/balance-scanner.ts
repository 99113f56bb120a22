// Finds the end of a bracketed value in streamed text. Every character is read once. The scan fails at the first
// character that is not possible in a value, so that text that is not a call becomes content early.

/** Deeper values are rejected: recursive readers and writers would overflow the stack. */
export const maxDepth = 128;

interface ValueSyntax {
  readonly quotes: string;
  /** Characters that are possible outside strings, except brackets. */
  readonly plain: RegExp;
}

export const jsonSyntax: ValueSyntax = { quotes: '"', plain: /[\s\w+\-.:,]/ };
export const pythonSyntax: ValueSyntax = { quotes: `"'`, plain: /[\s\p{L}\p{N}_+\-.:,=]/u };

export interface Scan {
  readonly state: 'open' | 'complete' | 'broken';
  /** After the last character of the value. */
  readonly end: number;
}

/** Scans a value after its opening bracket; `closer` is its closing bracket. */
export function createBalanceScanner(syntax: ValueSyntax, closer: '}' | ')' | ']') {
  const closers: string[] = [closer];
  let quote = '';
  let escaped = false;

  const readInString = (char: string): boolean => {
    if (escaped) {
      escaped = false;
    } else if (char === '\\') {
      escaped = true;
    } else if (char === quote) {
      quote = '';
    } else {
      return char >= ' ';
    }
    return true;
  };

  const readOutside = (char: string): boolean => {
    if (char === closers.at(-1)) {
      closers.pop();
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      return closers.length <= maxDepth;
    } else if (syntax.quotes.includes(char)) {
      quote = char;
    } else {
      return syntax.plain.test(char);
    }
    return true;
  };

  return {
    read(text: string, from: number): Scan {
      for (let at = from; at < text.length; at++) {
        const char = text[at] as string;
        const fits = quote === '' ? readOutside(char) : readInString(char);
        if (!fits) return { state: 'broken', end: at };
        if (closers.length === 0) return { state: 'complete', end: at + 1 };
      }
      return { state: 'open', end: text.length };
    },
  };
}
