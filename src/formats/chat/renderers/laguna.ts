// Laguna, and its successor "poolside-v1", which writes no line breaks between parts. Thinking is switched by the tag at the
// end of the prompt.

import { toGoJson } from '../../go-template/functions/json-text.ts';
import type { MapValue, Value } from '../../go-template/values/values.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import { addSpaces, spacedToolJson } from './go-text.ts';
import type { Renderer, RendererInput } from './renderer.ts';

const bos = '〈|EOS|〉';
const defaultSystem =
  'You are a helpful, conversationally-fluent assistant made by Poolside. You are here to be helpful to users through natural language conversations.';

export const lagunaRenderer: Renderer = { render: renderLaguna };
export const poolsideRenderer: Renderer = { render: renderPoolside };

function renderLaguna({ messages, tools, think }: RendererInput): string {
  const thinks = Boolean(think);
  const { system, turns } = splitSystem(messages);
  const parts = [bos];
  if (system !== '' || tools.length > 0) {
    const text = system === '' ? '' : `\n${system}`;
    parts.push(`<system>\n${text}${tools.length === 0 ? '' : lagunaTools(tools, thinks)}\n</system>\n`);
  }
  turns.forEach((message, index) => {
    const { role, content } = message;
    if (role === 'assistant') parts.push(writeAnswer(message, index === turns.length - 1));
    else if (tags.has(role)) parts.push(`<${tags.get(role)}>\n${content}\n</${tags.get(role)}>\n`);
  });
  // The model continues an answer at the end.
  if (messages.at(-1)?.role !== 'assistant') parts.push(`<assistant>\n${thinks ? '<think>' : '</think>'}`);
  return parts.join('');
}

function renderPoolside({ messages, tools, think }: RendererInput): string {
  const thinks = Boolean(think);
  const { system, turns } = splitSystem(messages);
  const parts = [bos];
  if (system !== '' || tools.length > 0 || thinks) {
    const separator = system !== '' && tools.length > 0 ? '\n\n' : '';
    parts.push(`<system>${system}${separator}${tools.length === 0 ? '' : listTools(tools)}</system>\n`);
  }
  parts.push(turns.map((message) => writePoolsideTurn(message, thinks)).join(''));
  parts.push(`<assistant>${thinks ? '<think>' : '</think>'}`);
  return parts.join('');
}

function writePoolsideTurn({ role, content, thinking = '', toolCalls = [] }: Message, thinks: boolean): string {
  const tag = tags.get(role);
  if (role !== 'assistant') return tag === undefined ? '' : `<${tag}>${content}</${tag}>\n`;
  const thought = thinks ? `<think>${thinking}</think>` : '</think>';
  const calls = toolCalls.map((call) => writeCall(call, ''));
  return `<assistant>${thought}${content}${calls.join('')}</assistant>\n`;
}

const tags: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['system', 'system'],
  ['tool', 'tool_response'],
]);

/** A system message at the start replaces the default one, also if it is blank. */
function splitSystem(messages: readonly Message[]): { readonly system: string; readonly turns: readonly Message[] } {
  const [first] = messages;
  if (first?.role !== 'system') return { system: defaultSystem, turns: messages };
  return { system: first.content.trimEnd(), turns: messages.slice(1) };
}

function listTools(tools: readonly Tool[]): string {
  const list = tools.map((tool) => `${spacedToolJson(tool)}\n`);
  return `### Tools

You may call functions to assist with the user query.
All available function signatures are listed below:
<available_tools>
${list.join('')}</available_tools>`;
}

function lagunaTools(tools: readonly Tool[], thinks: boolean): string {
  const format =
    "return an unescaped XML-like object with function name and arguments within '<tool_call>' and '</tool_call>' tags, like here:";
  const rule = thinks
    ? `Wrap your thinking in '<think>', '</think>' tags, followed by a function call. For each function call, ${format}\n<think> your thoughts here </think>`
    : `For each function call, ${format}`;
  return `\n\n${listTools(tools)}\n\n${rule}
<tool_call>function-name
<arg_key>argument-key</arg_key>
<arg_value>value-of-argument-key</arg_value>
</tool_call>`;
}

function writeAnswer(message: Message, isLast: boolean): string {
  const { toolCalls = [] } = message;
  const { content, thinking } = splitThought(message);
  const text = content.trim();
  const thought = thinking.trim();
  const parts = ['<assistant>\n', thought === '' ? '</think>\n' : `<think>\n${thought}\n</think>\n`];
  if (text !== '') parts.push(`${text}\n`);
  for (const call of toolCalls) parts.push(`${writeCall(call, '\n')}\n`);
  const isContinued = isLast && (text !== '' || thought !== '' || toolCalls.length > 0);
  if (!isContinued) parts.push('</assistant>\n');
  return parts.join('');
}

/** A client may have left the thought in the content. */
function splitThought({ content, thinking = '' }: Message): { readonly content: string; readonly thinking: string } {
  const [before = '', ...after] = content.split('</think>');
  if (after.length === 0) return { content, thinking };
  return {
    content: after.at(-1) ?? '',
    thinking: thinking === '' ? (before.split('<think>').at(-1) ?? '') : thinking,
  };
}

function writeCall({ name, arguments: values }: MessageToolCall, separator: '\n' | ''): string {
  const list = Object.entries(values as MapValue).map(
    ([key, value]) => `<arg_key>${key}</arg_key>${separator}<arg_value>${argumentText(value)}</arg_value>${separator}`,
  );
  return `<tool_call>${name}${separator}${list.join('')}</tool_call>`;
}

function argumentText(value: Value): string {
  return typeof value === 'string' ? value : addSpaces(toGoJson(value));
}
