// Reads one call from streamed text: an object with name and arguments, or a name followed by arguments.

import { createBalanceScanner, jsonSyntax, pythonSyntax } from './balance-scanner.ts';
import { createBareKeyReader } from './bare-key-reader.ts';
import { functionElements, pairElements } from './call-layouts.ts';
import { broken, type CallReader, open } from './call-scan.ts';
import { createElementReader } from './element-reader.ts';
import { createLiteralMatcher, type LiteralMatcher, partial, skipWhiteSpace } from './literal-matcher.ts';
import { parsePythonArguments } from './python-arguments.ts';
import { type CallShape, parseCalls, parseObject } from './read-call.ts';
import type { ToolCall } from './tool-call.ts';

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
      const start = skipWhiteSpace(text, at);
      const key = start === text.length ? partial : firstKeys.match(text, start, ended);
      if (key === partial) return open(start);
      if (key === undefined) return broken(start);
      checked = true;
      return reader.read(text, start, ended);
    },
  };
}

// name(…), name{…}, name[ARGS]{…}, name[CALL_ID]id[ARGS]{…}, name<sep>{…}, name and a fence with {…}, <function=name>{…}, and
// names followed by elements. An end tag after the name: a call without arguments.
const links = {
  name: createLiteralMatcher([
    '(',
    '.call(',
    '{',
    '[ARGS]',
    '[CALL_ID]',
    '<｜tool▁sep｜>',
    '```json',
    '<arg_key>',
    '</tool_call>',
  ]),
  tagged: createLiteralMatcher(['>', '{']),
  id: createLiteralMatcher(['[ARGS]']),
  arguments: createLiteralMatcher(['{', '<parameter=', '</function>']),
};

interface NamedCall {
  /** The name is part of a tag such as `<function=`. */
  readonly inTag: boolean;
  /** The schema of the arguments. */
  readonly parameters?: unknown;
  /** Arguments in braces have bare keys, and this text around their texts. */
  readonly quote?: string;
}

/** Reads a call after its name. */
export function createNamedReader(name: string, { inTag, parameters, quote }: NamedCall): CallReader {
  let stage: keyof typeof links = inTag ? 'tagged' : 'name';
  let reader: CallReader | undefined;

  const readerOf = (link: string): CallReader | undefined => {
    const called = (args: ToolCall['arguments'] | undefined) => toCalls(name, args);
    if (link === '{' && quote !== undefined) return createBareKeyReader(quote, called);
    if (link === '{') return createValueReader('{', (value) => called(parseObject(value)));
    if (link.endsWith('(')) return createValueReader('(', (value) => called(parsePythonArguments(value)));
    if (link === '<arg_key>') return createElementReader(pairElements, parameters, called);
    if (link === '<parameter=') return createElementReader(functionElements, parameters, called);
    return undefined;
  };

  /** The length of the link between name and arguments; 0 if the text is not a link. */
  const follow = (link: string | undefined, next: string): number => {
    if (link === undefined) return stage === 'id' && /[\w-]/.test(next) ? 1 : 0;
    reader = readerOf(link);
    if (reader === undefined) stage = link === '[CALL_ID]' ? 'id' : 'arguments';
    return link.length;
  };

  return {
    read(text, from, ended) {
      let at = from;
      while (reader === undefined) {
        at = skipWhiteSpace(text, at);
        const link = at === text.length ? partial : links[stage].match(text, at, ended);
        if (link === partial) return open(at);
        if (link?.startsWith('</')) return { state: 'complete', end: at, calls: [{ name, arguments: {} }] };
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
