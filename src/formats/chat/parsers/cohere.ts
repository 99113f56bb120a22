// Command A of 2026 and the North models of Cohere: thinking, then texts and lists of calls between tags. Models that know
// the older format write "response" instead of "text".

import { createBalanceScanner, jsonSyntax } from '../tool-calls/balance-scanner.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import { parseObject } from '../tool-calls/read-call.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { type Section, SectionParser } from './section-parser.ts';

const toText = { to: 'text', keeps: 'after' } as const;
const toBetween = { to: 'between', keeps: 'before' } as const;

const sections: Readonly<Record<string, Section>> = {
  thinking: { kind: 'thinking', exits: { '<|END_THINKING|>': 'between' } },
  between: {
    kind: 'ignored',
    exits: {
      '<|START_TEXT|>': toText,
      '<|START_RESPONSE|>': toText,
      '<|START_ACTION|>': 'action',
      '<|END_OF_TURN_TOKEN|>': 'between',
    },
    text: 'text',
  },
  text: {
    kind: 'content',
    exits: { '<|END_TEXT|>': toBetween, '<|END_RESPONSE|>': toBetween, '<|END_OF_TURN_TOKEN|>': toBetween },
    keepsEnd: true,
  },
  action: { kind: 'call', exits: { '<|END_ACTION|>': 'between' } },
};

export const cohereParser: ParserFamily = {
  supportsTools: true,
  supportsThinking: true,
  controlTokens: [
    '<|START_THINKING|>',
    '<|END_THINKING|>',
    '<|START_TEXT|>',
    '<|END_TEXT|>',
    '<|START_ACTION|>',
    '<|END_ACTION|>',
    '<|START_RESPONSE|>',
    '<|END_RESPONSE|>',
  ],
  callSyntax: callSyntaxOfFamily('command-r7b'),
  thinkingTags: { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  open({ think, lastMessage }) {
    const continues = lastMessage?.role === 'assistant' && lastMessage.content !== '';
    const start = continues ? 'text' : think === false ? 'between' : 'thinking';
    return new SectionParser({ sections, start, readCalls });
  },
};

/** The objects of a list. One that is not valid is left out and does not hide the others. Commas may be missing. */
function readCalls(text: string): readonly ToolCall[] {
  const calls: ToolCall[] = [];
  for (let start = text.indexOf('{'); start !== -1; ) {
    const { state, end } = createBalanceScanner(jsonSyntax, '}').read(text, start + 1);
    if (state === 'complete') {
      const call = readCall(parseObject(text.slice(start, end)));
      if (call !== undefined) calls.push(call);
    }
    start = text.indexOf('{', end);
  }
  return calls;
}

function readCall(value: Readonly<Record<string, unknown>> = {}): ToolCall | undefined {
  const { tool_name: name, parameters = {} } = value;
  if (typeof name !== 'string' || typeof parameters !== 'object' || Array.isArray(parameters)) return undefined;
  return { name, arguments: (parameters ?? {}) as ToolCall['arguments'] };
}
