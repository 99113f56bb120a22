// Finds tool calls in a streamed answer. Text is prose until a text opens a call; from there a run reads the calls, and
// returns text that is not a call as prose. The result does not depend on how the answer is split into pieces, and every
// character is read once.

import { type CalledTool, createCallGrammar, unopenedStart } from './call-grammar.ts';
import { type CallRun, createCallRun } from './call-run.ts';
import type { CallTexts } from './call-syntax.ts';
import { partial, skipWhiteSpace } from './literal-matcher.ts';
import type { AnswerEnding, ToolCall, ToolOutput } from './tool-call.ts';
import { createUnopenedRun } from './unopened-calls.ts';

export function createToolCallParser(options: { readonly syntax: CallTexts; readonly tools: readonly CalledTool[] }) {
  const grammar = createCallGrammar(options.syntax, options.tools);
  const prose = createProse();
  let calls: ToolCall[] = [];
  let run: CallRun | undefined;
  let isUnopened = false;
  let started = false;
  let rest = '';

  const onCall = (call: ToolCall): void => {
    calls.push(call);
    prose.call();
  };

  /** The start of a call at or after `from`, or of text that may become one. */
  const findStart = (text: string, from: number, ended: boolean): number => {
    if (started) return grammar.starts.find(text, from, ended);
    const first = skipWhiteSpace(text, from);
    if (first === text.length || grammar.firstStarts.match(text, first, ended) !== undefined) return first;
    started = true;
    return grammar.starts.find(text, first, ended);
  };

  const isPartial = (text: string, at: number, ended: boolean): boolean =>
    (started ? grammar.starts : grammar.firstStarts).match(text, at, ended) === partial;

  const startRun = (text: string, at: number): CallRun => {
    isUnopened = text.startsWith(unopenedStart, at);
    if (isUnopened) prose.write('\n');
    return isUnopened ? createUnopenedRun(grammar, onCall) : createCallRun(grammar, onCall);
  };

  const advance = (text: string, ended: boolean): string => {
    let at = 0;
    while (at < text.length) {
      if (run === undefined) {
        const start = findStart(text, at, ended);
        prose.write(text.slice(at, start));
        at = start;
        if (at === text.length || isPartial(text, at, ended)) break;
        started = true;
        run = startRun(text, at);
      }
      const { end, over } = run.read(text, at, ended);
      at = end;
      if (!over) break;
      prose.write(run.held);
      run = undefined;
    }
    return text.slice(at);
  };

  const output = (content: string): ToolOutput => {
    const found = calls;
    calls = [];
    return { content, calls: found };
  };

  return {
    /** Adds a piece of the answer; returns the parts that can be sent. */
    push(text: string): ToolOutput {
      rest = advance(rest + text, false);
      return output(prose.take());
    },
    /** Ends the answer; returns the remaining parts. If the answer was cut off, a call that has begun is left out. */
    finish({ isCut }: AnswerEnding = { isCut: false }): ToolOutput {
      rest = advance(rest, true);
      if (run === undefined || isUnopened || !isCut) prose.write((run?.held ?? '') + rest);
      run = undefined;
      rest = '';
      return output(prose.finish());
    },
  };
}

// The content of an answer around its calls. White space next to a call is removed. If there is text on both sides of a
// call, the white space before the call, or else the one after it, is kept between them.
export function createProse() {
  let ready = '';
  let blank = '';
  let gap = '';
  let afterCall = false;
  let hasText = false;

  const take = (): string => {
    const text = ready;
    ready = '';
    return text;
  };

  return {
    /** Text that can be sent now. White space waits for the text after it. */
    take,
    write(text: string): void {
      const body = text.trimEnd();
      if (body === '') {
        blank += text;
        return;
      }
      if (afterCall) {
        const start = body.trimStart();
        const before = gap || blank + body.slice(0, body.length - start.length);
        ready += (hasText ? before : '') + start;
      } else {
        ready += blank + body;
      }
      blank = text.slice(body.length);
      gap = '';
      afterCall = false;
      hasText = true;
    },
    /** Marks the position of a call. */
    call(): void {
      gap ||= blank;
      blank = '';
      afterCall = true;
    },
    /** Ends the answer. White space at the end is content, unless it follows a call. */
    finish(): string {
      if (!afterCall) ready += blank;
      return take();
    },
  };
}
