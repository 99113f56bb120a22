// OLMo 3: functions in the system message, calls as in Python. The thinking models have no tools.

import { toGoJson } from '../../go-template/functions/json-text.ts';
import { compareText, type Value } from '../../go-template/values/values.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import { spacedToolJson } from './go-text.ts';
import type { Renderer } from './renderer.ts';

const about =
  'You are Olmo, a helpful AI assistant built by Ai2. Your date cutoff is December 2024, and your model weights are available at https://huggingface.co/allenai.';
const withoutTools = 'You do not currently have access to any functions. <functions></functions>';
const withTools =
  'You are provided with function signatures within <functions></functions> XML tags. You may call one or more functions to assist with the user query. Output any function calls within <function_calls></function_calls> XML tags. Do not make assumptions about what values to plug into functions.';

export const olmo3Renderer = createOlmoRenderer('You are a helpful function-calling AI assistant.');
export const olmo31Renderer = createOlmoRenderer(about);
export const olmo3ThinkRenderer = createThinkRenderer(about);
export const olmo332bThinkRenderer = createThinkRenderer('You are a helpful AI assistant.');

const writeMessage = (role: string, content: string): string => `<|im_start|>${role}\n${content}<|im_end|>\n`;
const systemOf = (messages: readonly Message[]): string | undefined =>
  messages.find(({ role }) => role === 'system')?.content;

function createOlmoRenderer(intro: string): Renderer {
  const writeSystem = (system: string | undefined, tools: readonly Tool[]): string => {
    const functions = `<functions>[${tools.map(spacedToolJson).join(', ')}]</functions>`;
    if (system !== undefined) return tools.length === 0 ? system : system + functions;
    return `${intro} ${tools.length === 0 ? withoutTools : withTools + functions}`;
  };
  return {
    render({ messages, tools }) {
      const turns = messages.filter(({ role }) => role !== 'system');
      const last = turns.at(-1);
      const isContinued = last?.role === 'assistant' && !last.toolCalls?.length;
      const text = turns.map((message) => writeTurn(message, isContinued && message === last)).join('');
      const opening = isContinued && last.content !== '' ? '' : '<|im_start|>assistant\n';
      return writeMessage('system', writeSystem(systemOf(messages), tools)) + text + opening;
    },
  };
}

function writeTurn({ role, content, toolCalls = [] }: Message, isContinued: boolean): string {
  if (role === 'user') return writeMessage('user', content);
  if (role === 'tool') return writeMessage('environment', content);
  if (role !== 'assistant') return '';
  const calls = `<function_calls>${toolCalls.map(writeCall).join('\n')}</function_calls>`;
  const text = toolCalls.length === 0 ? content : content + calls;
  return isContinued ? `<|im_start|>assistant\n${text}` : writeMessage('assistant', text);
}

function writeCall({ name, arguments: args }: MessageToolCall): string {
  const keys = Object.keys(args).sort(compareText);
  return `${name}(${keys.map((key) => `${key}=${toGoJson(args[key] as Value)}`).join(', ')})`;
}

function createThinkRenderer(intro: string): Renderer {
  return {
    render({ messages }) {
      const system = systemOf(messages);
      const turns = messages.filter(({ role }) => role === 'user' || role === 'assistant');
      return (
        writeMessage('system', system === undefined ? intro : `${system} ${withoutTools}`) +
        turns.map(({ role, content }) => writeMessage(role, content)).join('') +
        '<|im_start|>assistant\n<think>'
      );
    },
  };
}
