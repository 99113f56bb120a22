// Finds the end of a bracketed value while its text arrives: every character is looked at once. It gives up at the first
// character that no value could have there, so that broken values are content again early.

/** Deeper values are refused: whoever reads or writes them recursively would run out of stack. */
export const maxDepth = 128;

export interface Dialect {
  readonly quotes: string;
  /** What may stand outside strings, brackets aside. */
  readonly plain: RegExp;
}

export const jsonDialect: Dialect = { quotes: '"', plain: /[\s\w+\-.:,]/ };
export const pythonDialect: Dialect = { quotes: `"'`, plain: /[\s\p{L}\p{N}_+\-.:,=]/u };

export interface Scan {
  readonly state: 'open' | 'complete' | 'broken';
  /** Behind the last character that belongs to the value. */
  readonly end: number;
}

export interface BalanceScanner {
  read(text: string, from: number): Scan;
}

/** For a value whose opening bracket has been read already; `closer` is the bracket that ends it. */
export function createBalanceScanner(dialect: Dialect, closer: '}' | ')'): BalanceScanner {
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
    } else if (dialect.quotes.includes(char)) {
      quote = char;
    } else {
      return dialect.plain.test(char);
    }
    return true;
  };

  return {
    read(text, from) {
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
