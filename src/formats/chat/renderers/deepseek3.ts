// DeepSeek 3.1: tools in the system text, and calls between tags.

import type { Message, Tool } from '../message.ts';
import { parametersJson, readParameters } from '../tool-schema.ts';
import { argumentsJson } from './go-text.ts';
import type { Renderer } from './renderer.ts';

const bos = '<｜begin▁of▁sentence｜>';
const eos = '<｜end▁of▁sentence｜>';

const callRules = `
IMPORTANT: ALWAYS adhere to this exact format for tool use:
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜>{{additional_tool_calls}}<｜tool▁calls▁end｜>

Where:

- \`tool_call_name\` must be an exact match to one of the available tools
- \`tool_call_arguments\` must be valid JSON that strictly follows the tool's Parameters Schema
- For multiple tool calls, chain them directly without separators or spaces
`;

export const deepseek3Renderer: Renderer = {
  render({ messages, tools, think }) {
    const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
    const turns = messages.filter(({ role }) => ['user', 'assistant', 'tool'].includes(role));
    const lastUser = turns.findLastIndex(({ role }) => role === 'user');
    const text = turns.map((message, index) => {
      // The thinking itself is never written, also where an answer is continued.
      const thinks = Boolean(think && message.thinking && index > lastUser && !message.toolCalls?.length);
      return (
        (message.role === 'assistant' && turns[index - 1]?.role === 'user' ? openAnswer(thinks) : '') +
        writeTurn(message, turns[index - 1]?.role)
      );
    });
    const opening = turns.at(-1)?.role === 'user' ? openAnswer(Boolean(think)) : '';
    return bos + system.join('\n\n') + writeTools(tools) + text.join('') + opening;
  },
};

function writeTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  const list = tools.map(
    (tool) =>
      `\n### ${tool.name}\nDescription: ${tool.description}\n\nParameters: ${parametersJson(readParameters(tool))}\n`,
  );
  return `\n\n## Tools\nYou have access to the following tools:\n${list.join('')}${callRules}`;
}

const openAnswer = (thinks: boolean): string => `<｜Assistant｜>${thinks ? '<think>' : '</think>'}`;

function writeTurn({ role, content, toolCalls = [] }: Message, before: string | undefined): string {
  if (role === 'user') return `<｜User｜>${content}`;
  if (role === 'tool') return `<｜tool▁output▁begin｜>${content}<｜tool▁output▁end｜>`;
  if (toolCalls.length > 0) {
    const calls = toolCalls.map(
      ({ name, arguments: args }) =>
        `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${argumentsJson(args)}<｜tool▁call▁end｜>`,
    );
    return `${content}<｜tool▁calls▁begin｜>${calls.join('')}<｜tool▁calls▁end｜>${eos}`;
  }
  return (before === 'tool' ? content : withoutThinking(content)) + eos;
}

function withoutThinking(content: string): string {
  const close = '</think>';
  const end = content.indexOf(close);
  return end === -1 ? content : content.slice(end + close.length);
}
