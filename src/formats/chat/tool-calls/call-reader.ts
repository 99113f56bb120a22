// Reads one call from streamed text: an object with name and arguments, or a name followed by arguments.

import { createBalanceScanner, jsonSyntax, pythonSyntax, type Scan } from './balance-scanner.ts';
import { createLiteralMatcher, type LiteralMatcher, partial, skipBlanks } from './literal-matcher.ts';
import { parsePythonArguments } from './python-arguments.ts';
import { type CallShape, parseCalls, parseObject } from './read-call.ts';
import type { ToolCall } from './tool-call.ts';

export interface CallReader {
  /** Reads from `at`. An object can contain several calls. */
  read(text: string, at: number, ended: boolean): CallScan;
}

export interface CallScan extends Scan {
  readonly calls: readonly ToolCall[];
}

/** Reads an object after its `{`. */
export function createObjectReader(shape: CallShape): CallReader {
  return createValueReader('{', (value) => parseCalls(value, shape));
}

/** Reads an object that may not be a call. It fails at a first key that no call has, so that text is not held back. */
export function createUntaggedObjectReader(shape: CallShape, firstKeys: LiteralMatcher): CallReader {
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

/** Reads a call after its name. `inTag`: the name is part of a tag such as `<function=`. */
export function createNamedReader(name: string, inTag: boolean): CallReader {
  let stage: keyof typeof links = inTag ? 'tagged' : 'name';
  let reader: CallReader | undefined;

  /** The length of the link between name and arguments; 0 if the text is not a link. */
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
  const scanner = isJson ? createBalanceScanner(jsonSyntax, '}') : createBalanceScanner(pythonSyntax, ')');
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
