// Families that put tags around every section of an answer, also around its content: Kimi K3, Solar, Functionary 3.2 and
// Glimmer. No model config names the first three, so they are recognized by their templates.

import { parseJson } from '../../../base/json-values.ts';
import { callSyntaxOfFamily, recognizeFamily } from '../tool-calls/call-families.ts';
import { typedElements } from '../tool-calls/call-layouts.ts';
import { isShallow, parseObject } from '../tool-calls/read-call.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import type { ParserFamily } from './answer-parser.ts';
import { glimmerParser } from './glimmer.ts';
import { splitAt } from './read-calls.ts';
import { type Section, SectionParser } from './section-parser.ts';

/** Undefined for other families, whose answers are read as the traits of the template say. */
export function templateParser(template: string): ParserFamily | undefined {
  if (template.includes('<atem:invoke')) return glimmerParser;
  return parsers.get(recognizeFamily(template)?.name ?? '');
}

const kimiOpen = (tag: string): string => `<|open|>${tag}<|sep|>`;
const kimiClose = (tag: string): string => `<|close|>${tag}<|sep|>`;
/** The section that each tag of Kimi K3 leads to. */
const kimiExits = {
  [kimiOpen('think')]: 'thinking',
  [kimiOpen('response')]: 'text',
  [kimiClose('response')]: 'between',
  [kimiOpen('tools')]: 'tools',
  [kimiClose('tools')]: 'between',
  [kimiClose('message')]: 'between',
};
const solarExits = {
  '<|begin|>assistant': 'between',
  '<|think|>': 'thinking',
  '<|content|>': 'text',
  '<|tool_calls|>': 'tools',
  '<|calls|>': 'between',
  '<|end|>': 'between',
};

const kimiSections: Readonly<Record<string, Section>> = {
  // The tag at the end of the thinking can be missing.
  thinking: {
    kind: 'thinking',
    exits: {
      [kimiOpen('think')]: 'thinking',
      [kimiClose('think')]: 'between',
      [kimiOpen('response')]: 'text',
      [kimiOpen('tools')]: 'tools',
    },
  },
  between: { kind: 'ignored', exits: kimiExits, text: 'text' },
  text: { kind: 'content', exits: kimiExits, keepsEnd: true },
  tools: { kind: 'ignored', exits: { ...kimiExits, '<|open|>call tool="': 'call' } },
  call: { kind: 'call', exits: { [kimiClose('call')]: 'tools' } },
};

const solarSections: Readonly<Record<string, Section>> = {
  thinking: { kind: 'thinking', exits: { '<|end|>': 'between' } },
  between: { kind: 'ignored', exits: solarExits, text: 'text' },
  text: { kind: 'content', exits: solarExits, keepsEnd: true },
  tools: { kind: 'ignored', exits: { ...solarExits, '<|tool_call:begin|>': 'call' } },
  call: { kind: 'call', exits: { '<|tool_call:end|>': 'tools' } },
};

/** The prompts of Kimi K3 open the thinking, or the response. */
const kimiK3: ParserFamily = {
  supportsTools: true,
  supportsThinking: true,
  controlTokens: ['<|open|>', '<|close|>', '<|sep|>', '<|end_of_msg|>'],
  callSyntax: callSyntaxOfFamily('kimi-k3'),
  thinkingTags: { open: kimiOpen('think'), close: kimiClose('think') },
  open({ think, lastMessage }) {
    const start = think && lastMessage?.role !== 'assistant' ? 'thinking' : 'text';
    return new SectionParser({ sections: kimiSections, start, readCalls: readKimiCall });
  },
};

const solar: ParserFamily = {
  supportsTools: true,
  supportsThinking: true,
  controlTokens: [
    ...Object.keys(solarExits).map((tag) => tag.replace('assistant', '')),
    '<|tool_call:begin|>',
    '<|tool_call:name|>',
    '<|tool_call:args|>',
    '<|tool_call:end|>',
  ],
  callSyntax: callSyntaxOfFamily('solar'),
  thinkingTags: { open: '<|think|>', close: '<|end|>' },
  open: ({ lastMessage }) =>
    new SectionParser({
      sections: solarSections,
      start: lastMessage?.role === 'assistant' ? 'text' : 'between',
      readCalls: readSolarCall,
    }),
};

/** A part for the user or for a tool: `all`, or its name, a line break, and the content. The prompt has the first `>>>`. */
const functionary: ParserFamily = {
  supportsTools: true,
  supportsThinking: false,
  controlTokens: [],
  callSyntax: callSyntaxOfFamily('functionary-3.2'),
  open({ tools, lastMessage }) {
    const recipients = (mark: string) =>
      Object.fromEntries([[`${mark}all\n`, 'text'], ...tools.map(({ name }) => [`${mark}${name}\n`, 'call'] as const)]);
    const exits = recipients(functionaryMark);
    const sections: Readonly<Record<string, Section>> = {
      first: { kind: 'ignored', exits: { ...exits, ...recipients('') }, text: 'text' },
      text: { kind: 'content', exits, keepsEnd: true },
      call: { kind: 'call', exits: {}, afterJson: 'after' },
      after: { kind: 'ignored', exits, text: 'text' },
    };
    const start = lastMessage?.role === 'assistant' ? 'text' : 'first';
    return new SectionParser({ sections, start, readCalls: readFunctionaryCall });
  },
};

const functionaryMark = '>>>';

const readFunctionaryCall = (text: string, _isClosed: boolean, opening: string): readonly ToolCall[] | undefined =>
  toCalls(opening.replace(functionaryMark, '').trimEnd(), text);

const parsers: ReadonlyMap<string, ParserFamily> = new Map([
  ['functionary-3.2', functionary],
  ['kimi-k3', kimiK3],
  ['solar', solar],
]);

/** `f" index="1"<|sep|>`, then an element for each argument, or all in one JSON object. */
function readKimiCall(text: string): readonly ToolCall[] | undefined {
  const [head, body = ''] = splitAt(text, '<|sep|>');
  const name = unescapeAttribute(splitAt(head, '"')[0]);
  if (name === '') return undefined;
  const [, json] = splitAt(body, '<|open|>json type="object"<|sep|>');
  if (json !== undefined) return toCalls(name, splitAt(json, kimiClose('json'))[0]);
  const values: [string, unknown][] = [];
  for (const element of body.split(typedElements.beforeKey).slice(1)) {
    const [attributes, rest = ''] = splitAt(element, '<|sep|>');
    const [key, type = ''] = splitAt(attributes, '" type="');
    const [value] = splitAt(rest, typedElements.afterValue);
    values.push([unescapeAttribute(key.replace(/"$/, '')), type.startsWith('string') ? value : jsonOrText(value)]);
  }
  return [{ name, arguments: Object.fromEntries(values) }];
}

/** `id<|tool_call:name|>f<|tool_call:args|>{…}` */
function readSolarCall(text: string): readonly ToolCall[] | undefined {
  const [, call = ''] = splitAt(text, '<|tool_call:name|>');
  const [name, args = ''] = splitAt(call, '<|tool_call:args|>');
  return name === '' ? undefined : toCalls(name, args);
}

function toCalls(name: string, json: string): readonly ToolCall[] | undefined {
  const text = json.trim() || '{}';
  const args = isShallow(text) ? parseObject(text) : undefined;
  return args && [{ name, arguments: args }];
}

function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

function unescapeAttribute(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
