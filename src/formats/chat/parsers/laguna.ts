// Laguna and "poolside-v1": calls with an element for each name and each value of an argument. Models also write calls as
// JSON, with or without tags, and between the tags of a user.

import type { Tool } from '../message.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import { defaultKeys } from '../tool-calls/call-layouts.ts';
import { createUntaggedObjectReader } from '../tool-calls/call-run.ts';
import type { CallReader } from '../tool-calls/call-scan.ts';
import { createLiteralMatcher } from '../tool-calls/literal-matcher.ts';
import { isShallow, parseObject, toCallShape } from '../tool-calls/read-call.ts';
import type { ToolCall, ToolOutput } from '../tool-calls/tool-call.ts';
import { createProse } from '../tool-calls/tool-call-parser.ts';
import type { ParserContext, ParserFamily } from './answer-parser.ts';
import { readObjectCall } from './read-calls.ts';
import { type CallFinder, type Section, SectionParser } from './section-parser.ts';
import { readArgument } from './typed-value.ts';

const family = {
  supportsTools: true,
  supportsThinking: true,
  controlTokens: [
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '<user>',
    '</user>',
    '<arg_key>',
    '</arg_key>',
    '<arg_value>',
    '</arg_value>',
  ],
  callSyntax: callSyntaxOfFamily('glm-4.5'),
  thinkingTags: { open: '<think>', close: '</think>' },
} as const;

/** The prompt of Laguna ends after the thought of an answer that the model continues; poolside-v1 begins another one. */
export const lagunaParser: ParserFamily = {
  ...family,
  open: (context) => open(context, context.lastMessage?.role === 'assistant'),
};

export const poolsideParser: ParserFamily = { ...family, open: (context) => open(context, false) };

function open({ tools, think }: Pick<ParserContext, 'tools' | 'think'>, continues: boolean): SectionParser {
  const toThinking = { '<think>': { to: 'thinking', keeps: 'before' } } as const;
  const toCalls = { '<tool_call>': 'call', ...(tools.length > 0 ? { '<user>': 'alias' } : {}) };
  const sections: Readonly<Record<string, Section>> = {
    // The model may repeat the tag at the end of the prompt.
    primed: {
      kind: 'ignored',
      exits: { '<think>': 'thinking', '</think>': 'start', '<tool_call>': 'call' },
      text: 'thinking',
    },
    thinking: { kind: think ? 'thinking' : 'ignored', exits: { '</think>': 'start', '<tool_call>': 'call' } },
    start: { kind: 'ignored', exits: { ...toThinking, ...toCalls, '</think>': 'start' }, text: 'content' },
    content: { kind: 'content', exits: { ...toThinking, ...toCalls } },
    call: { kind: 'call', exits: { '</tool_call>': 'start' } },
    alias: {
      kind: 'call',
      exits: {
        '</user>': 'start',
        '<tool_call>': { to: 'call', interrupts: true },
        '<think>': { to: 'thinking', interrupts: true },
      },
    },
  };
  return new SectionParser({
    sections,
    start: think && !continues ? 'primed' : 'start',
    readCalls: (text, _, tag) => readCalls(text, tools, tag),
    untagged: tools.length === 0 ? undefined : new ObjectCallFinder(tools),
  });
}

function readCalls(text: string, tools: readonly Tool[], tag: string): readonly ToolCall[] | undefined {
  const written = withoutNestedTags(text);
  const [call] = readObjectCall(written) ?? readNamedCall(written, tools) ?? [];
  if (call === undefined) return undefined;
  const name = resolveName(call.name, tools);
  // Other text than a call can be between the tags of a user.
  if (name === undefined && tag === '<user>') return undefined;
  return [{ ...call, name: name ?? call.name }];
}

/** Models repeat the tag, or the entire call. */
function withoutNestedTags(text: string): string {
  const [first = ''] = text.replace(/^(?:\s*<tool_call>)+/, '').split(/<\/?tool_call>/, 1);
  return first.trim();
}

/** A name, and after it elements or JSON. */
function readNamedCall(text: string, tools: readonly Tool[]): readonly ToolCall[] | undefined {
  const start = [text.indexOf('<arg_key>'), text.indexOf('{'), text.length].find((index) => index !== -1);
  const name = text.slice(0, start).trim();
  const written = text.slice(start);
  if (name === '') return undefined;
  const args = written.startsWith('{') ? readObject(written) : readElements(written, resolveName(name, tools), tools);
  return args && [{ name, arguments: args }];
}

function readObject(text: string): ToolCall['arguments'] | undefined {
  return isShallow(text) ? parseObject(text) : undefined;
}

function readElements(text: string, name: string | undefined, tools: readonly Tool[]): ToolCall['arguments'] {
  const parameters = tools.find((tool) => tool.name === name)?.parameters;
  const pairs = text.matchAll(/<arg_key>(.*?)<\/arg_key>\s*<arg_value>(.*?)<\/arg_value>/gs);
  return Object.fromEntries(
    [...pairs].map(([, key = '', value = '']) => {
      const plain = value.replace(/^\n/, '').replace(/\n$/, '');
      return [key.trim(), readArgument(plain, parameters, key.trim())];
    }),
  );
}

/** Names that models know from training, and the usual names of the same tools. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['read_file', 'read'],
  ['write_file', 'write'],
  ['edit_file', 'edit'],
  ['web_fetch', 'webfetch'],
]);

/** Undefined: there is no such tool. */
function resolveName(name: string, tools: readonly Tool[]): string | undefined {
  const names = [name, aliases.get(name)];
  return names.find((candidate) => tools.some((tool) => tool.name === candidate));
}

/** Finds calls that are JSON objects in the content. */
class ObjectCallFinder implements CallFinder {
  readonly #tools: readonly Tool[];
  readonly #newReader: () => CallReader;
  #prose = createProse();
  #calls: ToolCall[] = [];
  #reader: CallReader | undefined;
  /** The object so far, and text that was not read yet. */
  #held = '';
  #rest = '';

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    const names = [...tools.map(({ name }) => name), ...aliases.keys()];
    const shape = toCallShape({ ...defaultKeys, tag: '' }, new Set(names));
    const firstKeys = createLiteralMatcher(['"name"', '"arguments"']);
    this.#newReader = () => createUntaggedObjectReader(shape, firstKeys);
  }

  push(text: string): ToolOutput {
    this.#rest = this.#advance(this.#rest + text, false);
    return this.#take(this.#prose.take());
  }

  finish({ isCut }: { readonly isCut: boolean }): ToolOutput {
    const rest = this.#advance(this.#rest, true);
    if (!isCut) this.#prose.write(this.#held + rest);
    this.#rest = this.#held = '';
    this.#reader = undefined;
    const prose = this.#prose;
    this.#prose = createProse();
    return this.#take(prose.finish());
  }

  #advance(text: string, ended: boolean): string {
    let at = 0;
    while (at < text.length) {
      if (this.#reader === undefined) {
        const start = text.indexOf('{', at);
        this.#prose.write(text.slice(at, start === -1 ? text.length : start));
        if (start === -1) return '';
        this.#reader = this.#newReader();
        this.#held = '{';
        at = start + 1;
      }
      const { state, end, calls } = this.#reader.read(text, at, ended);
      this.#held += text.slice(at, end);
      at = end;
      if (state === 'open') break;
      this.#endObject(calls);
    }
    return text.slice(at);
  }

  #endObject(calls: readonly ToolCall[]): void {
    const known = calls.flatMap((call) => {
      const name = resolveName(call.name, this.#tools);
      return name === undefined ? [] : { ...call, name };
    });
    if (known.length > 0) this.#prose.call();
    else this.#prose.write(this.#held);
    this.#calls.push(...known);
    this.#held = '';
    this.#reader = undefined;
  }

  #take(content: string): ToolOutput {
    const calls = this.#calls;
    this.#calls = [];
    return { content, calls };
  }
}
