// Reads consecutive calls: opening tags, lists and fences, the calls, separators and closing texts. Each call is reported
// as soon as it is complete. A run ends at the first character that does not fit, and the text since the last call is
// content.

import { createBalanceScanner, jsonSyntax, pythonSyntax, type Scan } from './balance-scanner.ts';
import { createBareKeyReader } from './bare-key-reader.ts';
import { type CallGrammar, leftovers, type Opener } from './call-grammar.ts';
import {
  functionElements,
  hunyuanElements,
  invokeElements,
  markedElements,
  minimaxMark,
  pairElements,
  quotedElements,
} from './call-layouts.ts';
import { broken, type CallReader, open } from './call-scan.ts';
import { createElementReader } from './element-reader.ts';
import { createLiteralMatcher, type LiteralMatcher, partial, skipWhiteSpace } from './literal-matcher.ts';
import { parsePythonArguments } from './python-arguments.ts';
import { type CallShape, parseCalls, parseObject } from './read-call.ts';
import type { ToolCall } from './tool-call.ts';
import { createTreeReader } from './tree-reader.ts';

/** Lists and tags that may be open at once. Real calls need fewer. */
const maxOpen = 8;

export function createCallRun(grammar: CallGrammar, onCall: (call: ToolCall) => void) {
  const open: Opener[] = [];
  let awaitsCall = true;
  let reader: CallReader | undefined;
  let held = '';

  const closes = (token: string): boolean =>
    !awaitsCall && (grammar.endTags.has(token) || open.some(({ end }) => end === token));

  // A closing text at the start of other text, like a fence with code in it, is not a leftover.
  const isLeftover = (token: string, text: string, end: number): boolean =>
    !awaitsCall &&
    leftovers.has(token) &&
    (token.length > 3 || end === text.length || /[\s}\]`<[]/.test(text[end] as string));

  const close = (token: string): void => {
    const index = open.findLastIndex(({ end }) => end === token);
    if (index !== -1) open.length = index;
    held = '';
  };

  const createObject = (): CallReader =>
    open.some(({ kind }) => kind === 'tag')
      ? createObjectReader(grammar.shape)
      : createUntaggedObjectReader(grammar.shape, grammar.firstKeys);

  /** Handles a token; false if it is not possible here. */
  const handleToken = (token: string): boolean => {
    const opener = grammar.openers.get(token);
    if (token === '{') {
      reader = createObject();
    } else if (opener !== undefined) {
      open.push(opener);
      awaitsCall = true;
      return open.length <= maxOpen;
    } else if (grammar.shape.names.has(token)) {
      const quote = open.findLast((one) => one.quote !== undefined)?.quote;
      reader = createNamedReader(token, {
        inTag: /[="]$/.test(open.at(-1)?.text ?? ''),
        parameters: grammar.parametersOf(token),
        quote,
      });
      return open.some(({ kind }) => kind !== 'fence');
    } else {
      const separates = !awaitsCall;
      awaitsCall = true;
      return separates;
    }
    return true;
  };

  /** Whether the answer ends within the end tag of a call. */
  const endsInTag = (text: string, at: number, ended: boolean): boolean =>
    ended && !awaitsCall && [...grammar.endTags].some((tag) => tag.startsWith(text.slice(at)));

  const dropRest = (text: string): Scan => {
    held = '';
    return { state: 'complete', end: text.length };
  };

  const nextToken = (text: string, at: number, ended: boolean): ReturnType<LiteralMatcher['match']> => {
    if (at === text.length) return partial;
    const token = grammar.tokens.match(text, at, ended);
    // The character after it decides whether it is a leftover.
    const isLast = typeof token === 'string' && at + token.length === text.length;
    return isLast && !ended && !awaitsCall && leftovers.has(token) ? partial : token;
  };

  const readBetween = (text: string, from: number, ended: boolean): Scan => {
    const at = skipWhiteSpace(text, from);
    held += text.slice(from, at);
    const token = nextToken(text, at, ended);
    if (token === partial) return { state: 'open', end: at };
    if (token === undefined) return endsInTag(text, at, ended) ? dropRest(text) : { state: 'broken', end: at };
    const end = at + token.length;
    if (closes(token) || isLeftover(token, text, end)) close(token);
    else if (handleToken(token)) held += token;
    else return { state: 'broken', end: at };
    return { state: 'complete', end };
  };

  const readCall = (text: string, at: number, ended: boolean): Scan => {
    const scan = (reader as CallReader).read(text, at, ended);
    held += text.slice(at, scan.end);
    if (scan.state !== 'complete') return scan;
    scan.calls.forEach(onCall);
    reader = undefined;
    awaitsCall = false;
    held = '';
    return scan;
  };

  return {
    /** Text that was read and does not belong to a call yet. */
    get held(): string {
      return held;
    },
    /** Reads from `at` up to `end`. */
    read(text: string, from: number, ended: boolean): { readonly end: number; readonly over: boolean } {
      let at = from;
      while (at < text.length) {
        const scan = reader === undefined ? readBetween(text, at, ended) : readCall(text, at, ended);
        at = scan.end;
        if (scan.state !== 'complete') return { end: at, over: scan.state === 'broken' };
      }
      return { end: at, over: false };
    },
  };
}

export type CallRun = ReturnType<typeof createCallRun>;

// Reads one call from streamed text: an object with name and arguments, or a name followed by arguments.

/** Reads an object after its `{`. */
function createObjectReader(shape: CallShape): CallReader {
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

/** The elements of arguments, by the text before the first key. */
const elementForms = new Map(
  [functionElements, pairElements, invokeElements, markedElements, hunyuanElements, quotedElements].map((form) => [
    form.beforeKey,
    form,
  ]),
);
/** The first element of a tree. */
const treeStart = `${minimaxMark}<`;

// name(…), name{…}, name[ARGS]{…}, name[CALL_ID]id[ARGS]{…}, name:0<begin>{…}, name<sep>{…}, name and a fence with {…},
// <function=name>{…}, and names followed by elements. An end tag after the name: a call without arguments.
const links = {
  name: createLiteralMatcher([
    '(',
    '.call(',
    '{',
    '[ARGS]',
    '[CALL_ID]',
    '<｜tool▁sep｜>',
    '```json',
    ':',
    '<|tool_call_argument_begin|>',
    '<tool_sep:opensource>',
    '<arg_key>',
    '</tool_call>',
  ]),
  tagged: createLiteralMatcher(['>', '">', '{']),
  id: createLiteralMatcher(['[ARGS]', '<|tool_call_argument_begin|>']),
  arguments: createLiteralMatcher([
    '{',
    ...elementForms.keys(),
    '</function>',
    '</invoke>',
    '</｜DSML｜invoke>',
    '</tool_call:opensource>',
    treeStart,
    `${minimaxMark}</invoke>`,
  ]),
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
function createNamedReader(name: string, { inTag, parameters, quote }: NamedCall): CallReader {
  let stage: keyof typeof links = inTag ? 'tagged' : 'name';
  let reader: CallReader | undefined;

  const readerOf = (link: string): CallReader | undefined => {
    const called = (args: ToolCall['arguments'] | undefined) => toCalls(name, args);
    if (link === '{' && quote !== undefined) return createBareKeyReader(quote, called);
    if (link === '{') return createValueReader('{', (value) => called(parseObject(value)));
    if (link.endsWith('(')) return createValueReader('(', (value) => called(parsePythonArguments(value)));
    if (link === treeStart) return createTreeReader(minimaxMark, parameters, called);
    const elements = elementForms.get(link);
    return elements && createElementReader(elements, parameters, called);
  };

  /** The length of the link between name and arguments; 0 if the text is not a link. */
  const follow = (link: string | undefined, next: string): number => {
    if (link === undefined) return stage === 'id' && /[\w-]/.test(next) ? 1 : 0;
    reader = readerOf(link);
    if (reader === undefined) stage = link === '[CALL_ID]' || link === ':' ? 'id' : 'arguments';
    return link.length;
  };

  return {
    read(text, from, ended) {
      let at = from;
      while (reader === undefined) {
        at = skipWhiteSpace(text, at);
        const link = at === text.length ? partial : links[stage].match(text, at, ended);
        if (link === partial) return open(at);
        if (link?.replace(minimaxMark, '').startsWith('</'))
          return { state: 'complete', end: at, calls: [{ name, arguments: {} }] };
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
