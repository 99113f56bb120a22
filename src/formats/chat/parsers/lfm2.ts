// LFM2: calls as in Python. The thinking model decides itself whether it thinks.

import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import type { ToolOutput } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { readPythonCalls } from './python-calls.ts';
import { type CallFinder, type Section, SectionParser } from './section-parser.ts';

const sections: Readonly<Record<string, Section>> = {
  start: { kind: 'ignored', exits: { '<think>': 'thinking', '<|tool_call_start|>': 'call' }, text: 'content' },
  thinking: { kind: 'thinking', exits: { '</think>': 'content' } },
  content: { kind: 'content', exits: { '<|tool_call_start|>': 'call' }, keepsEnd: true },
  call: { kind: 'call', exits: { '<|tool_call_end|>': 'content' } },
};

function createLfm2Parser(supportsThinking: boolean): ParserFamily {
  return {
    supportsTools: true,
    supportsThinking,
    controlTokens: ['<think>', '</think>', '<|tool_call_start|>', '<|tool_call_end|>'],
    callSyntax: callSyntaxOfFamily('lfm2'),
    thinkingTags: supportsThinking ? { open: '<think>', close: '</think>' } : undefined,
    open({ tools, think, lastMessage }) {
      const continues = lastMessage?.role === 'assistant' && lastMessage.content !== '';
      const mayThink = supportsThinking && Boolean(think) && !continues;
      return new SectionParser({
        sections,
        start: mayThink ? 'start' : 'content',
        readCalls: readPythonCalls,
        untagged: tools.length === 0 ? undefined : new BareCallFinder(tools.map(({ name }) => name)),
      });
    },
  };
}

export const lfm2Parser = createLfm2Parser(false);
export const lfm2ThinkingParser = createLfm2Parser(true);

/** An answer can be nothing but calls, without tags. */
class BareCallFinder implements CallFinder {
  readonly #names: ReadonlySet<string>;
  #held = '';
  #state: 'undecided' | 'call' | 'text' = 'undecided';

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  push(text: string): ToolOutput {
    this.#held += text;
    if (this.#state === 'undecided') this.#state = this.#decide(this.#held.trimStart().replace(/^\[\s*/, ''));
    return this.#state === 'text' ? this.#release() : { content: '', calls: [] };
  }

  finish({ atTag }: { readonly atTag: boolean }): ToolOutput {
    const calls = atTag || this.#state !== 'call' ? undefined : readPythonCalls(this.#held);
    this.#state = 'text';
    if (!calls?.every(({ name }) => this.#names.has(name))) return this.#release();
    this.#held = '';
    return { content: '', calls };
  }

  #release(): ToolOutput {
    const content = this.#held;
    this.#held = '';
    return { content, calls: [] };
  }

  /** By the start of the text. */
  #decide(start: string): 'undecided' | 'call' | 'text' {
    const end = start.search(/[(\s]/);
    if (end === -1) return [...this.#names].some((name) => name.startsWith(start)) ? 'undecided' : 'text';
    if (!this.#names.has(start.slice(0, end))) return 'text';
    const next = start.slice(end).trimStart();
    return next === '' ? 'undecided' : next.startsWith('(') ? 'call' : 'text';
  }
}
