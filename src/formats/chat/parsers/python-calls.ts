// Calls as in Python: `[f(x=1), g()]`, or one call without brackets. Values that are not valid in Python are texts, and a
// backslash in a text stays.

import { parsePythonArguments } from '../tool-calls/python-arguments.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';

/** Undefined if the text is anything else. */
export function readPythonCalls(text: string): readonly ToolCall[] | undefined {
  const trimmed = text.trim();
  const list = trimmed.startsWith('[') && trimmed.endsWith(']') ? trimmed.slice(1, -1) : trimmed;
  const calls = splitTopLevel(list).map(readCall);
  const valid = calls.filter((call) => call !== undefined);
  return valid.length > 0 && valid.length === calls.length ? valid : undefined;
}

function readCall(text: string): ToolCall | undefined {
  const [, name = '', args = ''] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  const values = splitTopLevel(args).map((item) => /^([^=,]+)=(.*)$/s.exec(item));
  if (name.trim() === '' || values.some((value) => value === null)) return undefined;
  const entries = values.map((value) => [value?.[1]?.trim() ?? '', readValue(value?.[2]?.trim() ?? '')] as const);
  return { name: name.trim(), arguments: Object.fromEntries(entries) };
}

const literals = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);

function readValue(text: string): unknown {
  if (/^(["']).*\1$/s.test(text)) return text.slice(1, -1);
  if (literals.has(text)) return literals.get(text);
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text);
  // The reader of arguments accepts lists and objects of Python and of JSON.
  return (/^[[{]/.test(text) ? parsePythonArguments(`value=${text}`)?.['value'] : undefined) ?? text;
}

/** The parts between commas that are not in brackets or texts. Empty parts are left out. */
function splitTopLevel(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { token, index } of tokensOf(text)) {
    if ('([{'.includes(token)) depth++;
    else if (')]}'.includes(token)) depth--;
    else if (token === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== '');
}

/** Brackets and commas outside of texts. A quote without an end is no text; each kind is searched for its end only once. */
function* tokensOf(text: string): Generator<{ readonly token: string; readonly index: number }> {
  const unclosed = new Set<string>();
  for (let index = 0; index < text.length; index++) {
    const token = text.charAt(index);
    if ((token === '"' || token === "'") && !unclosed.has(token)) {
      const end = endOfText(text, index);
      if (end === -1) unclosed.add(token);
      else index = end;
    } else if ('()[]{},'.includes(token)) yield { token, index };
  }
}

/** The position of the closing quote; -1 if there is none. */
function endOfText(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === text[start]) return index;
  }
  return -1;
}
