// The Qwen family from version 3 on. The prompts of thinking models end inside thinking; some models open it again.

import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import type { ParserContext, ParserFamily } from './answer-parser.ts';
import { continuesContent } from './deepseek3.ts';
import { readElementCall, readObjectCall } from './read-calls.ts';
import { type Section, SectionParser, type SectionStart } from './section-parser.ts';

const sections: Readonly<Record<string, Section>> = {
  thinking: { kind: 'thinking', exits: { '</think>': 'content', '<tool_call>': 'call' } },
  content: { kind: 'content', exits: { '<tool_call>': 'call' } },
  call: { kind: 'call', exits: { '</tool_call>': 'content' } },
};

const sectionsWithEnd: Readonly<Record<string, Section>> = Object.fromEntries(
  Object.entries(sections).map(([name, section]) => [name, { ...section, keepsEnd: true }]),
);

const reopened: SectionStart = { tag: '<think>', found: 'thinking', otherwise: 'thinking' };

interface QwenOptions {
  readonly calls: 'objects' | 'elements';
  /** Whether white space at the end of an answer is part of it. */
  readonly keepsEnd?: boolean;
  /** Where an answer starts. Absent: the model does not think. */
  readonly start?: (context: ParserContext) => SectionStart;
}

function createQwenParser({ calls, keepsEnd, start }: QwenOptions): ParserFamily {
  const isElements = calls === 'elements';
  return {
    supportsTools: true,
    supportsThinking: start !== undefined,
    controlTokens: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
    callSyntax: callSyntaxOfFamily(isElements ? 'qwen3-coder' : 'hermes'),
    thinkingTags: start && { open: '<think>', close: '</think>' },
    open: (context) =>
      new SectionParser({
        sections: keepsEnd ? sectionsWithEnd : sections,
        start: start?.(context) ?? 'content',
        readCalls: isElements
          ? (text, isClosed) =>
              isClosed || text.includes('</function>') ? readElementCall(text, context.tools) : undefined
          : readObjectCall,
      }),
  };
}

export const qwen3Parser = createQwenParser({ calls: 'objects' });
export const qwen3ThinkingParser = createQwenParser({
  calls: 'objects',
  start: ({ think }) => (think === false ? 'content' : reopened),
});
export const qwen3CoderParser = createQwenParser({ calls: 'elements', keepsEnd: true });
const startOfQwen35: QwenOptions['start'] = ({ think, lastMessage }) =>
  think === false || continuesContent(lastMessage) ? 'content' : reopened;
export const qwen35Parser = createQwenParser({ calls: 'elements', start: startOfQwen35 });
export const nemotronParser = createQwenParser({ calls: 'elements', keepsEnd: true, start: startOfQwen35 });
// These models always think.
export const qwen3VlThinkingParser = createQwenParser({
  calls: 'objects',
  start: ({ lastMessage }) => (continuesContent(lastMessage) ? 'content' : 'thinking'),
});
