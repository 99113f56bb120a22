// GLM 4.7 and GLM-OCR: the same tools and calls, with other white space and other marks for thinking.

import { toGoJson } from '../../go-template/functions/json-text.ts';
import type { Value } from '../../go-template/values/values.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import { spacedToolJson } from './go-text.ts';
import type { Renderer } from './renderer.ts';

const start = '[gMASK]<sop>';

export const glm47Renderer: Renderer = {
  render({ messages, tools, think = true }) {
    const writeTurn = ({ role, content, thinking = '', toolCalls = [] }: Message, index: number): string => {
      if (role === 'user' || role === 'system') return `<|${role}|>${content}`;
      if (role === 'tool') return `${openResult(messages, index)}<tool_response>${content}</tool_response>`;
      if (role !== 'assistant') return '';
      const thought = thinking === '' ? '</think>' : `<think>${thinking}</think>`;
      return `<|assistant|>${thought}${content}${toolCalls.map(writeCall).join('')}`;
    };
    const opening = `<|assistant|>${think ? '<think>' : '</think>'}`;
    return start + writeTools(tools) + messages.map(writeTurn).join('') + opening;
  },
};

export const glmOcrRenderer: Renderer = {
  render({ messages, tools, think }) {
    const writeTurn = ({ role, content, thinking = '', toolCalls = [] }: Message, index: number): string => {
      if (role === 'user')
        return `<|user|>\n${content}${think === false && !content.endsWith('/nothink') ? '/nothink' : ''}`;
      if (role === 'system') return `<|system|>\n${content}\n`;
      if (role === 'tool') {
        return `${openResult(messages, index)}\n<tool_response>\n${content}\n</tool_response>\n`;
      }
      if (role !== 'assistant') return '';
      const answer = content === '' ? '' : `\n${content.trim()}`;
      const calls = toolCalls.map((call) => `\n${writeCall(call)}`).join('');
      return `<|assistant|>\n<think>${thinking.trim()}</think>${answer}${calls}\n`;
    };
    const opening = `<|assistant|>\n${think === false ? '<think></think>\n' : ''}`;
    return start + writeTools(tools) + messages.map(writeTurn).join('') + opening;
  },
};

function writeTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  return `<|system|>
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${tools.map((tool) => `${spacedToolJson(tool)}\n`).join('')}</tools>

For each function call, output the function name and arguments within the following XML format:
<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value><arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>`;
}

/** The results of parallel calls share a turn. */
function openResult(messages: readonly Message[], index: number): string {
  return messages[index - 1]?.role === 'tool' ? '' : '<|observation|>';
}

function writeCall({ name, arguments: args }: MessageToolCall): string {
  const pairs = Object.entries(args).map(([key, value]) => {
    const text = typeof value === 'string' ? value : toGoJson(value as Value);
    return `<arg_key>${key}</arg_key><arg_value>${text}</arg_value>`;
  });
  return `<tool_call>${name}${pairs.join('')}</tool_call>`;
}
