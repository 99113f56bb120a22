// Qwen 3 VL: tools and calls as JSON objects.

import type { Message, Tool } from '../message.ts';
import { spacedArgumentsJson, spacedToolJson } from './go-text.ts';
import { lastQueryIndex, writeToolResult } from './qwen-turns.ts';
import type { Renderer } from './renderer.ts';

export const qwen3VlInstructRenderer = createQwen3VlRenderer(false);
export const qwen3VlThinkingRenderer = createQwen3VlRenderer(true);

function createQwen3VlRenderer(thinksByDefault: boolean): Renderer {
  return {
    render({ messages, tools, think = thinksByDefault }) {
      const thinks = think !== false;
      const lastQuery = lastQueryIndex(messages);
      const turns = messages.map((message, index) => {
        if (message.role === 'assistant') {
          const isAfterQuery = thinks && index > lastQuery;
          return writeAnswer(message, { isAfterQuery, isLast: index === messages.length - 1 });
        }
        if (message.role === 'tool') return writeToolResult(messages, index);
        const isTurn = message.role === 'user' || (message.role === 'system' && index > 0);
        return isTurn ? `<|im_start|>${message.role}\n${message.content}<|im_end|>\n` : '';
      });
      const last = messages.at(-1);
      const isOpen = last === undefined || last.role === 'assistant';
      const prefix = `<|im_start|>assistant\n${thinks ? '<think>\n' : ''}`;
      return writeSystem(messages[0], tools) + turns.join('') + (isOpen ? '' : prefix);
    },
  };
}

function writeSystem(first: Message | undefined, tools: readonly Tool[]): string {
  const system = first?.role === 'system' ? first.content : undefined;
  if (tools.length === 0) return system === undefined ? '' : `<|im_start|>system\n${system}<|im_end|>\n`;
  const list = tools.map((tool) => `\n${spacedToolJson(tool)}`).join('');
  const intro =
    '# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>';
  const rules =
    '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>';
  return `<|im_start|>system\n${system === undefined ? '' : `${system}\n\n`}${intro}${list}${rules}<|im_end|>\n`;
}

interface AnswerPlace {
  /** Whether the model thinks, and the answer follows the last question. */
  readonly isAfterQuery: boolean;
  readonly isLast: boolean;
}

function writeAnswer(message: Message, { isAfterQuery, isLast }: AnswerPlace): string {
  const { content, thinking = '', toolCalls = [] } = message;
  const hasThinking = isAfterQuery && (isLast || thinking !== '');
  const rest = content === '' ? '' : `\n</think>\n\n${content.replace(/^\n+/, '')}`;
  const text = hasThinking ? `<think>\n${trimLineBreaks(thinking)}${rest}` : content;
  const calls = toolCalls.map(({ name, arguments: args }, index) => {
    const gap = index > 0 || content !== '' ? '\n' : '';
    return `${gap}<tool_call>\n{"name": "${name}", "arguments": ${spacedArgumentsJson(args)}}\n</tool_call>`;
  });
  // The model continues an answer at the end.
  return `<|im_start|>assistant\n${text}${calls.join('')}${isLast ? '' : '<|im_end|>\n'}`;
}

function trimLineBreaks(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return text.slice(start, end);
}
