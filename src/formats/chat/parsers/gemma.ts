// FunctionGemma and Gemma 4: calls with bare keys, and a token on both sides of texts.

import type { Tool } from '../message.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import { parseBareKeys } from '../tool-calls/parse-bare-keys.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { repairBareKeys } from './repair-bare-keys.ts';
import { type Section, SectionParser } from './section-parser.ts';

const functionGemmaSections: Readonly<Record<string, Section>> = {
  content: { kind: 'content', exits: { '<start_function_call>': { to: 'call', keeps: 'before' } }, keepsEnd: true },
  call: { kind: 'call', exits: { '<end_function_call>': { to: 'content', keeps: 'after' } } },
};

export const functionGemmaParser: ParserFamily = {
  supportsTools: true,
  supportsThinking: false,
  controlTokens: ['<start_function_call>', '<end_function_call>', '<escape>'],
  callSyntax: callSyntaxOfFamily('functiongemma'),
  open: ({ tools }) =>
    new SectionParser({
      sections: functionGemmaSections,
      start: 'content',
      readCalls: (text) => readCall(text, '<escape>', tools)?.map(withoutNull),
    }),
};

/** The model has no null: the word is a text. */
function withoutNull({ name, arguments: args }: ToolCall): ToolCall {
  const toText = (_: string, value: unknown): unknown => (value === null ? 'null' : value);
  return { name, arguments: JSON.parse(JSON.stringify(args, toText)) as ToolCall['arguments'] };
}

const gemma4Tokens = ['<|channel>', '<channel|>', '<|tool_call>', '<tool_call|>', '<|tool_response>', '<|"|>'];

function gemma4Sections(shows: boolean): Readonly<Record<string, Section>> {
  const exits = { '<|channel>': { to: 'thinking', keeps: 'after' }, '<|tool_call>': 'call' } as const;
  const thinking: Section = {
    kind: shows ? 'thinking' : 'ignored',
    exits: { '<channel|>': 'content' },
    keepsEnd: true,
  };
  return {
    content: { kind: 'content', exits, keepsEnd: true },
    // The name of the channel is in the prompt after a result.
    continued: thinking,
    thinking: { ...thinking, label: 'thought\n' },
    call: { kind: 'call', exits: { '<tool_call|>': 'after' } },
    // Models write more tags after a call.
    after: {
      kind: 'ignored',
      exits: { ...exits, '<tool_call|>': 'after', '<|tool_response>': 'after' },
      text: 'content',
    },
  };
}

function createGemma4Parser(supportsThinking: boolean): ParserFamily {
  return {
    supportsTools: true,
    supportsThinking,
    controlTokens: gemma4Tokens,
    callSyntax: callSyntaxOfFamily('gemma4'),
    thinkingTags: supportsThinking ? { open: '<|channel>thought', close: '<channel|>' } : undefined,
    open({ tools, think, lastMessage }) {
      const shows = supportsThinking && Boolean(think);
      return new SectionParser({
        sections: gemma4Sections(shows),
        start: shows && lastMessage?.role === 'tool' ? 'continued' : 'content',
        readCalls: (text) => readCall(text, '<|"|>', tools),
      });
    },
  };
}

export const gemma4Parser = createGemma4Parser(true);
export const gemma4PlainParser = createGemma4Parser(false);

/** `call:name{…}` */
function readCall(text: string, quote: string, tools: readonly Tool[]): readonly ToolCall[] | undefined {
  const start = text.indexOf('{');
  if (!text.startsWith('call:') || start === -1) return undefined;
  const name = text.slice('call:'.length, start).trim();
  const written = text.slice(start).trim();
  const schema = tools.find((tool) => tool.name === name)?.parameters;
  const args = parseBareKeys(written, quote) ?? repairBareKeys(written, quote, schema);
  return args && [{ name, arguments: args }];
}
