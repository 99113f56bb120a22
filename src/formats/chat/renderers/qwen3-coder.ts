// Qwen 3 Coder: tools and calls as elements.

import type { Message, Tool } from '../message.ts';
import { toToolJson } from '../tool-schema.ts';
import { argumentText } from './go-text.ts';
import { elementCallRules, writeToolResult } from './qwen-turns.ts';
import type { Renderer } from './renderer.ts';

const defaultSystem = 'You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.';

export const qwen3CoderRenderer: Renderer = {
  render({ messages, tools }) {
    const system = messages.find(({ role, content }) => role === 'system' && content !== '')?.content ?? '';
    const turns = messages.filter(({ role }) => role !== 'system');
    const head = system === '' && tools.length === 0 ? '' : writeSystem(system || defaultSystem, tools);
    const last = turns.at(-1);
    const isOpen = last === undefined || last.role === 'assistant';
    return head + turns.map(writeTurn).join('') + (isOpen ? '' : '<|im_start|>assistant\n');
  },
};

function writeSystem(system: string, tools: readonly Tool[]): string {
  const list = tools.map((tool) => `\n${writeTool(tool)}`).join('');
  const section = `\n\n# Tools\n\nYou have access to the following functions:\n\n<tools>${list}\n</tools>${elementCallRules}`;
  return `<|im_start|>system\n${system}${tools.length === 0 ? '' : section}<|im_end|>\n`;
}

type Plain = Readonly<Record<string, unknown>>;

function writeTool(tool: Tool): string {
  const { function: called } = JSON.parse(toToolJson(tool)) as { readonly function: { readonly parameters: Plain } };
  const { properties, type: _, ...others } = called.parameters;
  const parameters = Object.entries((properties ?? {}) as Plain).map(([name, schema]) => {
    const { type, description, ...rest } = schema as Plain;
    return `\n<parameter>\n<name>${name}</name>${writeElements({ type, description })}${writeElements(rest)}\n</parameter>`;
  });
  const described = writeElements({ description: tool.description || undefined });
  const body = parameters.join('') + writeElements(others);
  return `<function>\n<name>${tool.name}</name>${described}\n<parameters>${body}\n</parameters>\n</function>`;
}

/** An element for each value that is there. */
function writeElements(values: Plain): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `\n<${key}>${argumentText(value)}</${key}>`)
    .join('');
}

function writeTurn(message: Message, index: number, turns: readonly Message[]): string {
  const { role, content, toolCalls = [] } = message;
  if (role === 'tool') return writeToolResult(turns, index);
  const start = `<|im_start|>${role}\n`;
  if (role !== 'assistant') return `${start}${content}<|im_end|>\n`;
  if (toolCalls.length > 0) {
    const calls = toolCalls.map(({ name, arguments: args }) => {
      const list = Object.entries(args).map(
        ([key, value]) => `\n<parameter=${key}>\n${argumentText(value)}\n</parameter>`,
      );
      return `\n<tool_call>\n<function=${name}>${list.join('')}\n</function>\n</tool_call>`;
    });
    return `${start}${content === '' ? '' : `${content}\n`}${calls.join('')}<|im_end|>\n`;
  }
  // The model continues an answer at the end.
  return `${start}${content}${index === turns.length - 1 ? '' : '<|im_end|>\n'}`;
}
