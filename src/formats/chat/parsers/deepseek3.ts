// DeepSeek 3.1 and Cogito 2: calls between the same tags, with the arguments as JSON or in a code block. The prompt ends
// inside thinking if the model is to think.

import type { Message } from '../message.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import { isShallow, parseObject } from '../tool-calls/read-call.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { splitAt } from './read-calls.ts';
import { type Section, SectionParser } from './section-parser.ts';

const callTokens = [
  '</think>',
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁calls▁end｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁output▁begin｜>',
  '<｜tool▁output▁end｜>',
];

const callSections = {
  thinking: { kind: 'thinking', exits: { '</think>': 'content' } },
  calls: { kind: 'ignored', exits: { '<｜tool▁call▁begin｜>': 'call', '<｜tool▁calls▁end｜>': 'content' } },
  call: { kind: 'call', exits: { '<｜tool▁call▁end｜>': 'calls', '<｜tool▁calls▁end｜>': 'content' } },
} satisfies Readonly<Record<string, Section>>;

const common = {
  supportsTools: true,
  supportsThinking: true,
  thinkingTags: { open: '<think>', close: '</think>' },
} as const;

export const deepseek3Parser: ParserFamily = {
  ...common,
  controlTokens: callTokens,
  callSyntax: callSyntaxOfFamily('deepseek-v3.1'),
  open({ think, lastMessage }) {
    const start = think && !continuesContent(lastMessage) ? 'thinking' : 'content';
    return new SectionParser({ sections: deepseekSections, start, readCalls: readDeepseekCall });
  },
};

const deepseekSections: Readonly<Record<string, Section>> = {
  ...callSections,
  content: {
    kind: 'content',
    keepsEnd: true,
    exits: {
      '<｜tool▁calls▁begin｜>': 'calls',
      // The text of a result that the model repeats is part of the answer.
      '<｜tool▁output▁begin｜>': { to: 'content', keeps: 'both' },
      '<｜tool▁output▁end｜>': { to: 'content', keeps: 'both' },
    },
  },
};

export const cogitoParser: ParserFamily = {
  ...common,
  controlTokens: [...callTokens, '<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>'],
  callSyntax: callSyntaxOfFamily('deepseek-r1'),
  open({ think, tools, lastMessage }) {
    const thinks = think && tools.length === 0 && !continuesContent(lastMessage);
    return new SectionParser({
      sections: cogitoSections,
      start: thinks ? 'thinking' : 'content',
      readCalls: readCogitoCall,
    });
  },
};

const cogitoSections: Readonly<Record<string, Section>> = {
  ...callSections,
  content: {
    kind: 'content',
    keepsEnd: true,
    exits: { '<｜tool▁calls▁begin｜>': 'calls', '<｜tool▁outputs▁begin｜>': 'results' },
  },
  results: { kind: 'ignored', exits: { '<｜tool▁outputs▁end｜>': 'content' } },
};

/** Whether the answer goes on with the content of a message. */
export function continuesContent(lastMessage: Message | undefined): boolean {
  return lastMessage?.role === 'assistant' && lastMessage.content !== '';
}

/** `name<｜tool▁sep｜>{…}` */
function readDeepseekCall(text: string, isClosed: boolean): readonly ToolCall[] {
  const [name, args] = splitAt(text, '<｜tool▁sep｜>');
  return isClosed ? toCall(name, args) : [];
}

/** `function<｜tool▁sep｜>name`, and the arguments in a code block. */
function readCogitoCall(text: string, isClosed: boolean): readonly ToolCall[] {
  const [, called = ''] = splitAt(text, '<｜tool▁sep｜>');
  const [name, block = ''] = splitAt(called, '\n```json\n');
  const end = block.indexOf('\n```');
  return isClosed && end !== -1 ? toCall(name, block.slice(0, end)) : [];
}

/** Text that is not a call is left out. */
function toCall(name: string, args: string | undefined): readonly ToolCall[] {
  const json = args?.trim() ?? '';
  const values = isShallow(json) ? parseObject(json) : undefined;
  return values === undefined ? [] : [{ name: name.trim(), arguments: values }];
}
