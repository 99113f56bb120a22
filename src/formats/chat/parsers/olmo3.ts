// OLMo 3: calls as in Python, one per line, in a block. The thinking models have no tools; their prompts end inside thinking.

import { createBalanceScanner, pythonSyntax } from '../tool-calls/balance-scanner.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import { skipWhiteSpace } from '../tool-calls/literal-matcher.ts';
import { parsePythonArguments } from '../tool-calls/python-arguments.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { continuesContent } from './deepseek3.ts';
import { type Section, SectionParser } from './section-parser.ts';

const sections: Readonly<Record<string, Section>> = {
  content: { kind: 'content', keepsEnd: true, exits: { '<function_calls>': { to: 'calls', keeps: 'both' } } },
  calls: { kind: 'call', exits: { '</function_calls>': { to: 'content', keeps: 'both' } } },
};

const thinkSections: Readonly<Record<string, Section>> = {
  thinking: { kind: 'thinking', exits: { '</think>': 'content' } },
  content: { kind: 'content', keepsEnd: true, exits: {} },
};

export const olmo3Parser: ParserFamily = {
  supportsTools: true,
  supportsThinking: false,
  controlTokens: ['<function_calls>', '</function_calls>'],
  callSyntax: callSyntaxOfFamily('olmo3'),
  open: () => new SectionParser({ sections, start: 'content', readCalls }),
};

export const olmo3ThinkParser: ParserFamily = {
  supportsTools: false,
  supportsThinking: true,
  controlTokens: ['</think>'],
  thinkingTags: { open: '<think>', close: '</think>' },
  open: ({ lastMessage }) =>
    new SectionParser({
      sections: thinkSections,
      start: continuesContent(lastMessage) ? 'content' : 'thinking',
      readCalls,
    }),
};

/** A block with anything else than calls is left out. */
function readCalls(text: string, isClosed: boolean): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  const name = /\s*(\w+)\(/y;
  let at = 0;
  while (isClosed && skipWhiteSpace(text, at) < text.length) {
    name.lastIndex = at;
    const called = name.exec(text)?.[1];
    if (called === undefined) return [];
    const { state, end } = createBalanceScanner(pythonSyntax, ')').read(text, name.lastIndex);
    const inside = text.slice(name.lastIndex, end - 1);
    const args = state === 'complete' ? parsePythonArguments(inside, { hasBareTexts: true }) : undefined;
    if (args === undefined) return [];
    calls.push({ name: called, arguments: args });
    at = end;
  }
  return calls;
}
