// Reads arguments that are written as elements, after the text before the first key:
//
//   elements = key after-key [ is-text after-is-text ] value after-value { before-key elements }
//   value    = text | open-quote text close-quote

import { undecidedLength } from '../../../base/text/undecided-length.ts';
import type { Scan } from './balance-scanner.ts';
import { broken, type CallReader, type ToCalls } from './call-scan.ts';
import type { ElementsForm } from './call-syntax.ts';
import { readElementValue } from './element-value.ts';
import { createLiteralMatcher, partial, skipWhiteSpace } from './literal-matcher.ts';

export function createElementReader(form: ElementsForm, parameters: unknown, toCalls: ToCalls): CallReader {
  const schemas = propertiesOf(parameters);
  const values: [string, unknown][] = [];
  const nextKey = createLiteralMatcher([form.beforeKey]);
  /** The texts that end the key, whether the value is a text, and the value, and those between them. */
  const ends = [
    ...form.afterKey.trim().split(/\s+/),
    ...(form.afterIsText ? [form.afterIsText] : []),
    form.afterValue.trim(),
  ];
  /** Which of `ends` comes next; `ends.length`: another key, or the end of the elements. */
  let stage = 0;
  let key = '';
  let part = '';
  let isText: boolean | undefined;
  let isOver = false;

  /** Undefined: it is not decided whether the value has quotes. */
  let isQuoted = form.quotes === undefined ? false : undefined;

  const endPart = (): void => {
    if (stage === 0) key = part.trim();
    else if (stage === ends.length - 1) {
      values.push([key, readElementValue(part, schemas[key], isQuoted ? true : isText)]);
      isQuoted = form.quotes === undefined ? false : undefined;
    } else if (form.afterIsText !== undefined) isText = part.trim() === 'true';
    part = '';
    stage++;
  };

  /** The start of the value, or open if more text is needed. */
  const readQuote = ({ open }: { readonly open: string }, text: string, at: number, ended: boolean): Scan => {
    const start = text.slice(at, at + open.length);
    if (start !== open && open.startsWith(start) && !ended) return { state: 'open', end: at };
    isQuoted = start === open;
    return { state: 'complete', end: isQuoted ? at + open.length : at };
  };

  const readPart = (text: string, at: number, ended: boolean): Scan => {
    const isValue = stage === ends.length - 1;
    if (isValue && isQuoted === undefined && form.quotes) return readQuote(form.quotes, text, at, ended);
    const wanted = (isValue && isQuoted ? form.quotes?.close : '') + (ends[stage] as string);
    const found = text.indexOf(wanted, at);
    const end = found === -1 ? text.length - undecidedLength(text.slice(at), wanted) : found;
    part += text.slice(at, end);
    if (found === -1) return { state: 'open', end };
    endPart();
    return { state: 'complete', end: found + wanted.length };
  };

  const readBetween = (text: string, at: number, ended: boolean): Scan => {
    const start = skipWhiteSpace(text, at);
    const found = start === text.length && !ended ? partial : nextKey.match(text, start, ended);
    if (found === partial) return { state: 'open', end: start };
    isOver = found === undefined;
    stage = 0;
    return { state: 'complete', end: start + (found?.length ?? 0) };
  };

  return {
    read(text, from, ended) {
      let at = from;
      while (!isOver) {
        const { state, end } = stage === ends.length ? readBetween(text, at, ended) : readPart(text, at, ended);
        if (state !== 'complete') return { state, end, calls: [] };
        at = end;
      }
      const calls = toCalls(Object.fromEntries(values));
      return calls === undefined ? broken(at) : { state: 'complete', end: at, calls };
    },
  };
}

function propertiesOf(parameters: unknown): Readonly<Record<string, unknown>> {
  const properties = (parameters as { readonly properties?: unknown } | null | undefined)?.properties;
  const isObject = typeof properties === 'object' && properties !== null;
  // A key can have the name of a member that all objects have.
  return Object.assign(Object.create(null), isObject ? properties : {});
}
