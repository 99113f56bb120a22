// Qwen 3: calls are JSON objects between tags. The prompts of thinking models end inside thinking; some models open it again.

import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import type { ParserFamily } from './answer-parser.ts';
import { readObjectCall } from './read-calls.ts';
import { type Section, SectionParser } from './section-parser.ts';

const thinkingTags = { open: '<think>', close: '</think>' };

const sections: Readonly<Record<string, Section>> = {
  thinking: { kind: 'thinking', exits: { '</think>': 'content', '<tool_call>': 'call' } },
  content: { kind: 'content', exits: { '<tool_call>': 'call' } },
  call: { kind: 'call', exits: { '</tool_call>': 'content' } },
};

const common = {
  supportsTools: true,
  controlTokens: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
  callSyntax: callSyntaxOfFamily('hermes'),
} as const;

export const qwen3Parser: ParserFamily = {
  ...common,
  supportsThinking: false,
  open: () => new SectionParser({ sections, start: 'content', readCalls: readObjectCall }),
};

export const qwen3ThinkingParser: ParserFamily = {
  ...common,
  supportsThinking: true,
  thinkingTags,
  open({ think = true }) {
    const inThinking = { tag: '<think>', found: 'thinking', otherwise: 'thinking' };
    return new SectionParser({ sections, start: think ? inThinking : 'content', readCalls: readObjectCall });
  },
};
