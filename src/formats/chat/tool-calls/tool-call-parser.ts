// Finds tool calls in an answer while it streams. Text is prose until something opens a call; from there a run reads on,
// and gives back as prose what turns out to be none. How the answer is cut into pieces makes no difference to the whole,
// and nothing is looked at twice.

import { createCallGrammar } from './call-grammar.ts';
import { type CallRun, createCallRun } from './call-run.ts';
import { partial, skipBlanks } from './literal-matcher.ts';
import { createProse } from './prose.ts';
import type { ToolCall, ToolOutput } from './tool-call.ts';
import type { ToolFormat } from './tool-format.ts';

export interface ToolCallParser {
  /** Adds a piece of the answer; returns what can be sent now. */
  push(text: string): ToolOutput;
  /** The answer is over: returns what was held back. */
  finish(): ToolOutput;
}

export interface ToolCallParserOptions {
  readonly format: ToolFormat;
  readonly toolNames: readonly string[];
}

export function createToolCallParser(options: ToolCallParserOptions): ToolCallParser {
  const grammar = createCallGrammar(options.format, options.toolNames);
  const prose = createProse();
  let calls: ToolCall[] = [];
  let run: CallRun | undefined;
  let begun = false;
  let rest = '';

  const onCall = (call: ToolCall): void => {
    calls.push(call);
    prose.call();
  };

  /** Where a call may begin from `from` on, or what may become the beginning of one. */
  const findStart = (text: string, from: number, ended: boolean): number => {
    if (begun) return grammar.starts.find(text, from, ended);
    const first = skipBlanks(text, from);
    if (first === text.length || grammar.firstStarts.match(text, first, ended) !== undefined) return first;
    begun = true;
    return grammar.starts.find(text, first, ended);
  };

  const isPartial = (text: string, at: number, ended: boolean): boolean =>
    (begun ? grammar.starts : grammar.firstStarts).match(text, at, ended) === partial;

  const advance = (text: string, ended: boolean): string => {
    let at = 0;
    while (at < text.length) {
      if (run === undefined) {
        const start = findStart(text, at, ended);
        prose.write(text.slice(at, start));
        at = start;
        if (at === text.length || isPartial(text, at, ended)) break;
        begun = true;
        run = createCallRun(grammar, onCall);
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
    push(text) {
      rest = advance(rest + text, false);
      return output(prose.take());
    },
    finish() {
      rest = advance(rest, true);
      prose.write((run?.held ?? '') + rest);
      run = undefined;
      rest = '';
      return output(prose.finish());
    },
  };
}
