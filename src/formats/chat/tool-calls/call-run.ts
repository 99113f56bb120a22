// Reads consecutive calls: opening tags, lists and fences, the calls, separators and closing texts. Each call is reported
// as soon as it is complete. A run ends at the first character that does not fit, and the text since the last call is
// content.

import type { Scan } from './balance-scanner.ts';
import { type CallGrammar, leftovers, type Opener } from './call-grammar.ts';
import { createNamedReader, createObjectReader, createUntaggedObjectReader } from './call-reader.ts';
import type { CallReader } from './call-scan.ts';
import { type LiteralMatcher, partial, skipWhiteSpace } from './literal-matcher.ts';
import type { ToolCall } from './tool-call.ts';

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
        inTag: open.at(-1)?.text.endsWith('=') === true,
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
