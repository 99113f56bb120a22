// Calls without their opening tag in the middle of an answer: an object at the start of a line. Text can have such objects
// as well, so they are calls only if an end tag follows.

import type { CallGrammar } from './call-grammar.ts';
import { type CallRun, createUntaggedObjectReader } from './call-run.ts';
import type { CallReader } from './call-scan.ts';
import { partial, skipWhiteSpace } from './literal-matcher.ts';
import type { ToolCall } from './tool-call.ts';

export function createUnopenedRun(grammar: CallGrammar, onCall: (call: ToolCall) => void): CallRun {
  let reader: CallReader | undefined;
  const calls: ToolCall[] = [];
  let held = '';
  const hold = (text: string, at: number, end: number): number => {
    held += text.slice(at, end);
    return end;
  };

  const readObject = (text: string, from: number, ended: boolean) => {
    const { state, end, calls: found } = (reader as CallReader).read(text, from, ended);
    hold(text, from, end);
    if (state !== 'complete') return { end, over: state === 'broken' };
    calls.push(...found);
    reader = undefined;
    return { end, over: false };
  };

  /** The brace of an object, or the end tag after the last one. */
  const readBetween = (text: string, from: number, ended: boolean) => {
    // The line before the first object is content.
    const at = skipWhiteSpace(text, from);
    if (calls.length > 0) hold(text, from, at);
    if (text[at] === '{') {
      reader = createUntaggedObjectReader(grammar.shape, grammar.firstKeys);
      return { end: hold(text, at, at + 1), over: false };
    }
    const tag = at === text.length ? partial : grammar.ends.match(text, at, ended);
    if (tag === partial) return { end: at, over: false };
    if (tag === undefined) return { end: at, over: true };
    calls.forEach(onCall);
    held = '';
    return { end: at + tag.length, over: true };
  };

  return {
    get held() {
      return held;
    },
    read(text, from, ended) {
      let at = from;
      while (at < text.length) {
        const { end, over } = reader === undefined ? readBetween(text, at, ended) : readObject(text, at, ended);
        if (over || end === at) return { end, over };
        at = end;
      }
      return { end: at, over: false };
    },
  };
}
