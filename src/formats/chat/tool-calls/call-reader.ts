// Reads one call while its text arrives: an object that says it all, or a name with its arguments behind it.

import { createBalanceScanner, jsonDialect, pythonDialect, type Scan } from './balance-scanner.ts';
import { createLiteralMatcher, type LiteralMatcher, partial, skipBlanks } from './literal-matcher.ts';
import { parsePythonArguments } from './python-arguments.ts';
import { type CallShape, parseCalls, parseObject } from './read-call.ts';
import type { ToolCall } from './tool-call.ts';

export interface CallReader {
  /** Reads from `at` on. An object can hold several calls. */
  read(text: string, at: number, ended: boolean): CallScan;
}

export interface CallScan extends Scan {
  readonly calls: readonly ToolCall[];
}

/** For an object whose `{` has been read. */
export function createObjectReader(shape: CallShape): CallReader {
  return createValueReader('{', (value) => parseCalls(value, shape));
}

/** The same where the object may well be something else: then its first key tells, and it need not be held back. */
export function createDoubtfulObjectReader(shape: CallShape, firstKeys: LiteralMatcher): CallReader {
  const reader = createObjectReader(shape);
  let checked = false;
  return {
    read(text, at, ended) {
      if (checked) return reader.read(text, at, ended);
      const start = skipBlanks(text, at);
      const key = start === text.length ? partial : firstKeys.match(text, start, ended);
      if (key === partial) return open(start);
      if (key === undefined) return broken(start);
      checked = true;
      return reader.read(text, start, ended);
    },
  };
}

// name(…), name{…}, name[ARGS]{…}, name[CALL_ID]id[ARGS]{…}, and <function=name>{…}
const links = {
  name: createLiteralMatcher(['(', '.call(', '{', '[ARGS]', '[CALL_ID]']),
  tagged: createLiteralMatcher(['>', '{']),
  id: createLiteralMatcher(['[ARGS]']),
  arguments: createLiteralMatcher(['{']),
};

/** For a call whose name has been read, inside a tag such as `<function=` if `inTag`. */
export function createNamedReader(name: string, inTag: boolean): CallReader {
  let stage: keyof typeof links = inTag ? 'tagged' : 'name';
  let reader: CallReader | undefined;

  /** How much of the text the link between name and arguments takes; none if it is no link. */
  const follow = (link: string | undefined, next: string): number => {
    if (link === undefined) return stage === 'id' && /[\w-]/.test(next) ? 1 : 0;
    if (link === '{') reader = createValueReader('{', (value) => toCalls(name, parseObject(value)));
    else if (link.endsWith('(')) reader = createValueReader('(', (value) => toCalls(name, parsePythonArguments(value)));
    else stage = link === '[CALL_ID]' ? 'id' : 'arguments';
    return link.length;
  };

  return {
    read(text, from, ended) {
      let at = from;
      while (reader === undefined) {
        at = skipBlanks(text, at);
        const link = at === text.length ? partial : links[stage].match(text, at, ended);
        if (link === partial) return open(at);
        const length = follow(link, text[at] as string);
        if (length === 0) return broken(at);
        at += length;
      }
      return reader.read(text, at, ended);
    },
  };
}

function createValueReader(opening: '{' | '(', parse: (value: string) => readonly ToolCall[] | undefined): CallReader {
  const isJson = opening === '{';
  const scanner = isJson ? createBalanceScanner(jsonDialect, '}') : createBalanceScanner(pythonDialect, ')');
  let value = '';
  return {
    read(text, at) {
      const scan = scanner.read(text, at);
      value += text.slice(at, scan.end);
      if (scan.state !== 'complete') return { ...scan, calls: [] };
      const calls = parse(isJson ? `{${value}` : value.slice(0, -1));
      return calls === undefined ? broken(scan.end) : { ...scan, calls };
    },
  };
}

function toCalls(name: string, args: ToolCall['arguments'] | undefined): readonly ToolCall[] | undefined {
  return args === undefined ? undefined : [{ name, arguments: args }];
}

function open(end: number): CallScan {
  return { state: 'open', end, calls: [] };
}

function broken(end: number): CallScan {
  return { state: 'broken', end, calls: [] };
}
