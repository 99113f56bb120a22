// Cogito 2: the tokens of DeepSeek, with tools and arguments in code blocks. The answers are opened after each question.

import type { Message, Tool } from '../message.ts';
import { toToolJson } from '../tool-schema.ts';
import { argumentsJson } from './go-text.ts';
import type { Renderer } from './renderer.ts';

const bos = '<｜begin▁of▁sentence｜>';
const eos = '<｜end▁of▁sentence｜>';
const intro =
  'You are Cogito, an AI assistant created by Deep Cogito, which is an AI research lab based in San Francisco.';

export const cogitoRenderer: Renderer = {
  render({ messages, tools, think }) {
    const hasSystem = messages[0]?.role === 'system';
    const turns = hasSystem ? messages.slice(1) : messages;
    const system = hasSystem ? (messages[0]?.content ?? '') : '';
    const text = turns.map((message, index) => writeTurn(message, turns[index - 1], turns[index + 1])).join('');
    const isOpen = turns.findLast(({ role }) => ['user', 'assistant', 'tool'].includes(role))?.role === 'user';
    const opening = (isOpen ? '' : '<｜Assistant｜>') + (think ? '<think>\n' : '');
    return bos + writeSystem(system, Boolean(think)) + writeTools(tools) + text + opening;
  },
};

function writeSystem(system: string, think: boolean): string {
  const start = think ? `Enable deep thinking subroutine.\n\n${intro}` : intro;
  if (system === '') return start;
  return `${start}\n\n${system}${think ? '\n\n' : ''}`;
}

function writeTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  const list = tools.map((tool) => `\`\`\`json\n${indentJson(toToolJson(tool))}\n\`\`\`\n`);
  return `\nYou have the following functions available:\n${list.join('')}`;
}

function writeTurn(message: Message, before: Message | undefined, after: Message | undefined): string {
  const { role, content, toolCalls = [] } = message;
  if (role === 'user') return `<｜User｜>${content}<｜Assistant｜>`;
  if (role === 'assistant') return `${content}${toolCalls.length === 0 ? '' : writeCalls(toolCalls)}${eos}`;
  if (role !== 'tool') return '';
  const open = before?.role === 'tool' ? '' : '<｜tool▁outputs▁begin｜>';
  const close = after?.role === 'tool' ? '\n' : '<｜tool▁outputs▁end｜>';
  return `${open}<｜tool▁output▁begin｜>${content}<｜tool▁output▁end｜>${close}`;
}

function writeCalls(toolCalls: NonNullable<Message['toolCalls']>): string {
  const calls = toolCalls.map(
    ({ name, arguments: args }) =>
      `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${argumentsJson(args)}\n\`\`\`<｜tool▁call▁end｜>`,
  );
  return `<｜tool▁calls▁begin｜>${calls.join('\n')}<｜tool▁calls▁end｜>`;
}

/** Breaks compact JSON into lines. Its texts and the order of its keys stay as they are. */
function indentJson(json: string): string {
  let depth = 0;
  const newLine = (): string => `\n${'    '.repeat(depth)}`;
  return json.replace(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === '{' || token === '[') {
      depth++;
      return token + newLine();
    }
    if (token === '}' || token === ']') {
      depth--;
      return newLine() + token;
    }
    if (token === ',') return token + newLine();
    return token === ':' ? ': ' : token;
  });
}
