// GLM 4.7 and GLM-OCR: calls with an element for each name and each value of an argument. Models often leave out some of
// the tags.

import type { Tool } from '../message.ts';
import { callSyntaxOfFamily } from '../tool-calls/call-families.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { type Section, SectionParser } from './section-parser.ts';
import { readArgument } from './typed-value.ts';

const sections: Readonly<Record<string, Section>> = {
  thinking: { kind: 'thinking', exits: { '</think>': 'content' } },
  content: { kind: 'content', exits: { '<tool_call>': 'call' } },
  call: { kind: 'call', exits: { '</tool_call>': 'content' } },
};

/** The tags of an argument, in their order. */
const tags = ['<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'] as const;

const common = {
  supportsTools: true,
  controlTokens: ['<think>', '</think>', '<tool_call>', '</tool_call>', ...tags],
  callSyntax: callSyntaxOfFamily('glm-4.5'),
};

/** The prompts end inside thinking. */
export const glm47Parser: ParserFamily = {
  ...common,
  supportsThinking: true,
  thinkingTags: { open: '<think>', close: '</think>' },
  open: ({ tools, think = true }) => createGlmParser(tools, think !== false),
};

export const glmOcrParser: ParserFamily = {
  ...common,
  supportsThinking: false,
  open: ({ tools }) => createGlmParser(tools, false),
};

function createGlmParser(tools: readonly Tool[], isThinking: boolean): SectionParser {
  return new SectionParser({
    sections,
    start: isThinking ? 'thinking' : { tag: '<think>', found: 'thinking', otherwise: 'content' },
    readCalls(text, isClosed) {
      const parts = splitTags(text);
      const call = readElements(parts) ?? (isClosed ? readElements(repair(parts)) : undefined);
      if (call === undefined) return undefined;
      const tool = tools.find(({ name }) => name === call.name);
      // At the end of the answer, only the last tag may be missing. Less could be half a call.
      if (!isClosed && !isComplete(call, tool)) return undefined;
      return [toToolCall(call, tool)];
    },
  });
}

interface ElementCall {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

function toToolCall({ name, keys, values }: ElementCall, tool: Tool | undefined): ToolCall {
  const args = keys.map((key, index) => {
    const value = (values[index] as string).replace(/^\n/, '').replace(/\n$/, '');
    return [key, readArgument(value, tool?.parameters, key)] as const;
  });
  return { name, arguments: Object.fromEntries(args) };
}

function isComplete({ keys }: ElementCall, tool: Tool | undefined): boolean {
  const { required } = (tool?.parameters ?? {}) as { readonly required?: unknown };
  const needed = Array.isArray(required) ? required : [];
  return tool !== undefined && !keys.includes('') && needed.every((key) => keys.includes(key));
}

/** Texts, and between them tags. */
function splitTags(text: string): readonly string[] {
  return text.split(/(<\/?arg_(?:key|value)>)/);
}

/** Undefined if the tags do not match, or if the name is missing. */
function readElements(parts: readonly string[]): ElementCall | undefined {
  let name = parts[0] ?? '';
  const keys: string[] = [];
  const values: string[] = [];
  for (let at = 1; at < parts.length; at += 4) {
    const [open, inside = '', close, after = ''] = parts.slice(at, at + 4);
    if (open === tags[0] && close === tags[1]) keys.push(inside);
    else if (open === tags[2] && close === tags[3]) values.push(inside);
    else return undefined;
    name += after;
  }
  if (name.trim() === '' || keys.length !== values.length) return undefined;
  return { name: name.trim(), keys: keys.map((key) => key.trim()), values };
}

/** Adds the tags that are missing from the cycle of tags. Text where a tag is missing belongs into its element. */
function repair([first = '', ...others]: readonly string[]): readonly string[] {
  const result: string[] = [];
  /** The index of the tag that comes next, and the text before it. */
  let next = 0;
  let held = '';
  const add = (text: string): void => {
    result.push(held + text, tags[next] as string);
    held = '';
    next = (next + 1) % tags.length;
  };
  /** Adds tags up to this one. The first element on the way gets the text. */
  const addUpTo = (tag: number, text: string): void => {
    let rest = text;
    while (next !== tag) {
      const isOpening = next % 2 === 0;
      const takesText = isOpening || (next + 1) % tags.length === tag;
      add(isOpening || !takesText ? '' : rest);
      if (isOpening) held = rest;
      if (takesText) rest = '';
    }
    add(rest);
  };
  // The name of the function has no white space: a key without its tag follows.
  const [, name, key] = (others[0] !== tags[0] && /^(\S*)\s+(.*)$/s.exec(first)) || [undefined, first];
  held = name ?? '';
  if (key !== undefined) {
    add('');
    held = key;
  }
  for (let at = 0; at < others.length; at += 2) {
    const before = at === 0 ? '' : (others[at - 1] ?? '');
    addUpTo(tags.indexOf(others[at] as (typeof tags)[number]), before);
  }
  if (next % 2 === 1) add(others.at(-1) ?? '');
  while (next !== 0) add('');
  return [...result, ''];
}
