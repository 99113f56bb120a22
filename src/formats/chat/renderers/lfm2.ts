// LFM2: tools are a list in the system message, calls are written as in Python. The thinking model writes its thoughts
// before its calls.

import { compareText, type Value } from '../../go-template/values/values.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import { functionJson, toToolJson } from '../tool-schema.ts';
import { addSpaces, toPlainJson } from './go-text.ts';
import type { Renderer, RendererInput } from './renderer.ts';

const bos = '<|startoftext|>';

export const lfm2Renderer: Renderer = {
  render: (input) => render(input, { isThinking: false, keepsThoughts: false }),
};

export const lfm2ThinkingRenderer: Renderer = {
  render: (input) => render(input, { isThinking: true, keepsThoughts: Boolean(input.think) }),
};

interface ThoughtRules {
  /** Whether the model is told its thoughts at all. */
  readonly isThinking: boolean;
  /** Whether it is told the thoughts of all its answers, not only those of the last one. */
  readonly keepsThoughts: boolean;
}

function render({ messages, tools }: RendererInput, rules: ThoughtRules): string {
  const [first] = messages;
  const hasSystem = first?.role === 'system';
  const turns = hasSystem ? messages.slice(1) : messages;
  const system = [hasSystem ? first.content : '', writeTools(tools)].filter((text) => text !== '').join('\n');
  const parts = [bos, system === '' ? '' : `<|im_start|>system\n${system}<|im_end|>\n`];
  const lastAnswer = turns.findLastIndex(({ role }) => role === 'assistant');
  turns.forEach((message, index) => {
    const isContinued = message.role === 'assistant' && index === turns.length - 1;
    const text = contentOf(message, { ...rules, keepsThoughts: rules.keepsThoughts || index === lastAnswer });
    parts.push(`<|im_start|>${message.role}\n${text}${isContinued ? '' : '<|im_end|>\n'}`);
  });
  if (messages.at(-1)?.role !== 'assistant') parts.push('<|im_start|>assistant\n');
  return parts.join('');
}

function writeTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  const list = tools.map((tool) => addSpaces(tool.name === '' ? toToolJson(tool) : functionJson(tool, toPlainJson)));
  return `List of tools: <|tool_list_start|>[${list.join(', ')}]<|tool_list_end|>`;
}

function contentOf({ role, content, toolCalls = [], thinking = '' }: Message, rules: ThoughtRules): string {
  if (role === 'tool')
    return content.includes('<|tool_response_start|>')
      ? content
      : `<|tool_response_start|>${content}<|tool_response_end|>`;
  if (role !== 'assistant') return content;
  const hasCalls = toolCalls.length === 0 || content.includes('<|tool_call_start|>');
  const called = hasCalls ? content : `${writeCalls(toolCalls)}${content.trim() === '' ? '' : '\n'}${content}`;
  const hasThought = !rules.isThinking || thinking === '' || called.includes('</think>');
  const text = hasThought ? called : `<think>${thinking}</think>${called}`;
  const end = rules.keepsThoughts ? -1 : text.lastIndexOf('</think>');
  return end === -1 ? text : text.slice(end + '</think>'.length).trim();
}

function writeCalls(calls: readonly MessageToolCall[]): string {
  const written = calls.map(({ name, arguments: values }) => {
    const list = Object.keys(values)
      .sort(compareText)
      .map((key) => `${key}=${addSpaces(toPlainJson(values[key] as Value))}`);
    return `${name}(${list.join(',')})`;
  });
  return `<|tool_call_start|>[${written.join(',')}]<|tool_call_end|>`;
}
