// Formulas in Markdown: $$…$$ and \[…\] as blocks or in a line, $…$ and \(…\) in a line.

import type { TokenizerExtension } from 'marked';

/** A type and not an interface, so that it is one of marked's generic tokens. */
export type MathToken = {
  readonly type: 'math';
  readonly raw: string;
  readonly text: string;
  readonly display: boolean;
  /** False while the end of the formula has not arrived. */
  readonly closed: boolean;
};

interface Delimiter {
  readonly open: string;
  readonly close: string;
  readonly display: boolean;
}

const maxFormulaCharacters = 10_000;

const blockDelimiters: readonly Delimiter[] = [
  { open: '$$', close: '$$', display: true },
  { open: '\\[', close: '\\]', display: true },
];
const inlineDelimiters: readonly Delimiter[] = [...blockDelimiters, { open: '\\(', close: '\\)', display: false }];

/** A formula at the beginning of a line, with nothing behind it. */
export function readBlockMath(source: string): MathToken | undefined {
  const indent = /^ {0,3}/.exec(source)?.[0].length ?? 0;
  const delimiter = blockDelimiters.find(({ open }) => source.startsWith(open, indent));
  if (delimiter === undefined) return undefined;
  const begin = indent + delimiter.open.length;
  const end = source.slice(0, begin + maxFormulaCharacters).indexOf(delimiter.close, begin);
  if (end === -1) return readUnclosed(source, begin);
  const after = end + delimiter.close.length;
  const rest = /^[ \t]*(?:\n|$)/.exec(source.slice(after, after + 100));
  if (rest === null) return undefined;
  const text = source.slice(begin, end).trim();
  return text === ''
    ? undefined
    : { type: 'math', raw: source.slice(0, after + rest[0].length), text, display: true, closed: true };
}

/** A delimiter alone on its line opens a formula, as a fence opens code. */
function readUnclosed(source: string, begin: number): MathToken | undefined {
  if (source.length > begin + maxFormulaCharacters || !/^[ \t]*\n/.test(source.slice(begin, begin + 100)))
    return undefined;
  return { type: 'math', raw: source, text: source.slice(begin).trim(), display: true, closed: false };
}

export function readInlineMath(source: string): MathToken | undefined {
  const delimiter = inlineDelimiters.find(({ open }) => source.startsWith(open));
  if (delimiter === undefined) return source.startsWith('$') ? readDollarMath(source) : undefined;
  const begin = delimiter.open.length;
  const end = source.slice(0, begin + maxFormulaCharacters).indexOf(delimiter.close, begin);
  const text = source.slice(begin, end).trim();
  if (end === -1 || text === '') return undefined;
  const { display } = delimiter;
  return { type: 'math', raw: source.slice(0, end + delimiter.close.length), text, display, closed: true };
}

/** $x$, but not the amounts in "from $5 to $6": no space inside next to a dollar, and no digit behind the last one. */
function readDollarMath(source: string): MathToken | undefined {
  if (/^\$[\s$]/.test(source.slice(0, 2))) return undefined;
  const limit = Math.min(source.length, maxFormulaCharacters);
  for (let end = source.indexOf('$', 1); end !== -1 && end < limit; end = source.indexOf('$', end + 1)) {
    if (/[\s\\]/.test(source.charAt(end - 1)) || /\d/.test(source.charAt(end + 1))) continue;
    const text = source.slice(1, end);
    return text.includes('\n\n')
      ? undefined
      : { type: 'math', raw: source.slice(0, end + 1), text, display: false, closed: true };
  }
  return undefined;
}

/** A paragraph ends where a formula begins a line. */
function findBlockMath(source: string): number | undefined {
  const end = source.indexOf('\n\n');
  const index = (end === -1 ? source : source.slice(0, end)).search(/\n {0,3}(?:\$\$|\\\[)/);
  return index === -1 ? undefined : index;
}

function findInlineMath(source: string): number | undefined {
  const index = source.search(/\$|\\[([]/);
  return index === -1 ? undefined : index;
}

export const mathExtensions: TokenizerExtension[] = [
  { name: 'math', level: 'block', start: findBlockMath, tokenizer: (source) => readBlockMath(source) },
  { name: 'math', level: 'inline', start: findInlineMath, tokenizer: (source) => readInlineMath(source) },
];
