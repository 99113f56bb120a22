// Nemotron 3 and 3.5 nano: tools and calls as elements. Thinking before the last question is not repeated.

import { toGoJson } from '../../go-template/functions/json-text.ts';
import { quote } from '../../go-template/printing/quote.ts';
import type { MapValue, Value } from '../../go-template/values/values.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import { propertiesJson, propertyJson, readParameters } from '../tool-schema.ts';
import { printGoValue } from './go-text.ts';
import { elementCallRules } from './qwen-turns.ts';
import type { Renderer, RendererInput } from './renderer.ts';

/** The 3 reads `/think` and `/no_think` in messages, and writes line breaks around thoughts. */
interface Generation {
  readonly hasSwitches: boolean;
}

export const nemotron3Renderer: Renderer = { render: (input) => render(input, { hasSwitches: true }) };
export const nemotron35Renderer: Renderer = {
  thinkLevels: ['medium', 'high'],
  render: (input) => render(input, { hasSwitches: false }),
};

function render({ messages, tools, think }: RendererInput, { hasSwitches }: Generation): string {
  const [first] = messages;
  const hasSystem = first?.role === 'system';
  const turns = hasSystem ? messages.slice(1) : messages;
  const written = hasSystem ? first.content : '';
  const system = hasSwitches ? withoutSwitches(written) : written;
  const separator = system !== '' && tools.length > 0 ? '\n\n' : '';
  const parts = [`<|im_start|>system\n${system}${separator}${writeTools(tools)}<|im_end|>\n`];
  const lastUser = turns.findLastIndex(({ role }) => role === 'user');
  turns.forEach((message, index) => {
    const isEfficient = !hasSwitches && think === 'medium' && index === lastUser;
    if (message.role === 'assistant') parts.push(writeAnswer(message, { hasSwitches, isPast: index < lastUser }));
    else if (message.role === 'tool') parts.push(writeToolResult(message, turns[index - 1], turns[index + 1]));
    else parts.push(writeTurn(message, { hasSwitches, isEfficient }));
  });
  const thinks = hasSwitches ? switchedThinking(messages, think !== false) : think !== false;
  parts.push(`<|im_start|>assistant\n<think>${thinks ? '\n' : '</think>'}`);
  return parts.join('');
}

function writeTurn(
  { role, content }: Message,
  { hasSwitches, isEfficient }: Generation & { readonly isEfficient: boolean },
): string {
  const reads = hasSwitches && (role === 'user' || role === 'system');
  const text = reads ? withoutSwitches(content).trim() : content;
  return `<|im_start|>${role}\n${text}${isEfficient ? '\n\n{reasoning effort: efficient}' : ''}<|im_end|>\n`;
}

/** Results of parallel calls share a turn of the user. */
function writeToolResult({ content }: Message, previous: Message | undefined, next: Message | undefined): string {
  const start = previous === undefined || previous.role === 'tool' ? '' : '<|im_start|>user\n';
  const end = next?.role === 'tool' ? '' : '<|im_end|>\n';
  return `${start}<tool_response>\n${content}\n</tool_response>\n${end}`;
}

function writeAnswer(message: Message, { hasSwitches, isPast }: Generation & { readonly isPast: boolean }): string {
  const { toolCalls = [] } = message;
  const content = withThought(message, hasSwitches ? '\n</think>\n' : '</think>');
  const text = toolCalls.length > 0 ? `${beforeCalls(content, isPast)}\n` : shownAnswer(content, isPast);
  return `<|im_start|>assistant\n${text}${toolCalls.map(writeCall).join('')}<|im_end|>\n`;
}

/** Every answer has a thought, which can be empty. A client may have left it in the content. */
function withThought({ content, thinking = '' }: Message, close: string): string {
  if (thinking !== '') return `<think>\n${thinking}${close}${content}`;
  return content.includes('<think>') || content.includes('</think>') ? content : `<think></think>${content}`;
}

function shownAnswer(content: string, isPast: boolean): string {
  const hasThought = content.includes('<think>') && content.includes('</think>');
  return (isPast && hasThought ? `<think></think>${content.split('</think>').at(-1)}` : content).trim();
}

function beforeCalls(content: string, isPast: boolean): string {
  if (!isPast) return content.trim();
  const rest = content.includes('</think>') ? content.split('</think>').at(-1) : content.split('<think>')[0];
  return `<think></think>${rest?.trim()}`.trim();
}

function writeCall({ name, arguments: values }: MessageToolCall): string {
  const elements = Object.entries(values as MapValue).map(
    ([key, value]) => `<parameter=${key}>\n${toText(value)}\n</parameter>\n`,
  );
  return `<tool_call>\n<function=${name}>\n${elements.join('')}</function>\n</tool_call>\n`;
}

/** The last switch in a message of the user or the system decides. */
function switchedThinking(messages: readonly Message[], byDefault: boolean): boolean {
  let thinks = byDefault;
  for (const { role, content } of messages) {
    if (role !== 'user' && role !== 'system') continue;
    if (content.replaceAll('</think>', '').includes('/think')) thinks = true;
    else if (content.includes('/no_think')) thinks = false;
  }
  return thinks;
}

function withoutSwitches(text: string): string {
  const mark = '<_end_think>';
  const unswitched = text.replaceAll('</think>', mark).replaceAll('/think', '').replaceAll('/no_think', '');
  return unswitched.replaceAll(mark, '</think>');
}

function writeTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  const list = tools.map((tool) => `\n${writeTool(tool)}`).join('');
  return `# Tools\n\nYou have access to the following functions:\n\n<tools>${list}\n</tools>${elementCallRules}`;
}

function writeTool(tool: Tool): string {
  const { properties = [], defs, items, required } = readParameters(tool);
  const parameters = properties.map(([name, schema]) => {
    const { types, description, enum: values } = schema;
    const type = types.length > 1 ? `[${types.map((one) => `'${one}'`).join(', ')}]` : types[0];
    const elements = [
      element('type', type),
      element('description', description === '' ? undefined : description.trim()),
      element('enum', values.length === 0 ? undefined : toJson(values)),
      element('anyOf', schema.anyOf.length === 0 ? undefined : requoted(`[${schema.anyOf.map(propertyJson)}]`)),
      element('items', schema.items == null ? undefined : toJson(schema.items)),
      element('properties', schema.properties && requoted(propertiesJson(schema.properties))),
      element('required', schema.required.length === 0 ? undefined : toJson(schema.required)),
    ];
    return `\n<parameter>\n<name>${name}</name>${elements.join('')}\n</parameter>`;
  });
  const others = [
    element('$defs', defs == null ? undefined : toText(defs)),
    element('items', items == null ? undefined : toText(items)),
    element('required', required.length === 0 ? undefined : toJson(required)),
  ];
  const described = element('description', tool.description === '' ? undefined : tool.description.trim());
  const body = parameters.join('') + others.join('');
  return `<function>\n<name>${tool.name}</name>${described}\n<parameters>${body}\n</parameters>\n</function>`;
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `\n<${name}>${text}</${name}>`;
}

/** A value as the template of the model prints it: objects and lists as JSON, others as in Python. */
function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' ? toJson(value) : printGoValue(value);
}

/** JSON with spaces, in which texts are quoted as in Go. */
function toJson(value: Value): string {
  return requoted(toGoJson(value));
}

function requoted(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (token) =>
    token.length === 1 ? `${token} ` : quote(JSON.parse(token) as string, '"', false),
  );
}
