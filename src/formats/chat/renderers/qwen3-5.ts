// Qwen 3.5 and its relatives: tools as JSON, calls as elements, thinking in every answer after the last question. Qwen 3.8
// and Ornith keep the thinking of all answers, and Qwen 3.8 has levels of thinking.

import { HearthError } from '../../../base/errors.ts';
import { type ThinkOption, thinkLevelOf } from '../../../models/think.ts';
import type { Message, Tool } from '../message.ts';
import { argumentText, spacedToolJson } from './go-text.ts';
import { elementCallRules, isQuery, lastQueryIndex, writeToolResult } from './qwen-turns.ts';
import type { Renderer } from './renderer.ts';

interface Variant {
  /** Whether all answers show their thinking, even if it is empty. Otherwise those after the last question do. */
  readonly keepsThinking: boolean;
  /** Whether the model has levels of thinking, and only one system message. */
  readonly hasLevels: boolean;
}

export const qwen35Renderer = createQwen35Renderer({ keepsThinking: false, hasLevels: false });
export const qwen38Renderer = createQwen35Renderer({ keepsThinking: true, hasLevels: true });
export const ornithRenderer = createQwen35Renderer({ keepsThinking: true, hasLevels: false });

function createQwen35Renderer(variant: Variant): Renderer {
  return {
    thinkLevels: variant.hasLevels ? ['low', 'medium', 'high'] : undefined,
    render({ messages: given, tools, think }) {
      const trimmed = given.map((message) => ({ ...message, content: message.content.trim() }));
      const messages = variant.hasLevels ? withOneSystem(trimmed) : trimmed;
      const thinks = think !== false;
      const level = variant.hasLevels ? levelText(think) : '';
      const lastQuery = lastQueryIndex(messages);
      const turns = messages.map((message, index) => {
        const { role, content } = message;
        if (role === 'assistant') {
          const showsThinking = variant.keepsThinking || (thinks && index > lastQuery);
          return writeAnswer(message, {
            showsThinking,
            findsThinking: !variant.hasLevels,
            isLast: index === messages.length - 1,
          });
        }
        if (role === 'tool') return writeToolResult(messages, index);
        const isTurn = role === 'user' || (role === 'system' ? index > 0 : variant.hasLevels);
        return isTurn ? `<|im_start|>${role}\n${content}<|im_end|>\n` : '';
      });
      const last = messages.at(-1);
      const isOpen = last === undefined || last.role === 'assistant';
      const prefix = `<|im_start|>assistant\n<think>\n${thinks ? '' : '\n</think>\n\n'}`;
      return writeSystem(messages[0], tools, { ...variant, level }) + turns.join('') + (isOpen ? '' : prefix);
    },
  };
}

/** All instructions in one system message at the start. */
function withOneSystem(messages: readonly Message[]): readonly Message[] {
  const isInstruction = ({ role }: Message): boolean => role === 'system' || role === 'developer';
  const instructions = messages.filter(isInstruction);
  const withImages = instructions.find(({ images = [] }) => images.length > 0);
  if (withImages !== undefined)
    throw new HearthError('bad_template', `${withImages.role} message cannot contain images`);
  if (!messages.some(isQuery)) throw new HearthError('bad_template', 'no user query found in messages');
  if (instructions.length === 0) return messages;
  const content = instructions.flatMap((message) => message.content || []).join('\n\n');
  return [{ role: 'system', content }, ...messages.filter((message) => !isInstruction(message))];
}

const thoroughText =
  'Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.';
const briefText =
  'Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without unnecessary elaboration.';

function levelText(think: ThinkOption | undefined): string {
  const level = think === undefined ? 'high' : thinkLevelOf(think);
  if (level === 'low') return briefText;
  return level === 'high' || level === 'max' ? thoroughText : '';
}

function writeSystem(
  first: Message | undefined,
  tools: readonly Tool[],
  { hasLevels, level }: Variant & { readonly level: string },
): string {
  const system = first?.role === 'system' ? first.content : undefined;
  if (tools.length > 0) {
    const list = tools.map((tool) => `\n${spacedToolJson(tool)}`).join('');
    const section = `# Tools\n\nYou have access to the following functions:\n\n<tools>${list}\n</tools>${elementCallRules}`;
    return `<|im_start|>system\n${[level, section, system].filter(Boolean).join('\n\n')}<|im_end|>\n`;
  }
  // Only models without levels get an empty system message.
  const text = [level, system].filter(Boolean).join('\n\n');
  const isWritten = text !== '' || (system !== undefined && !hasLevels);
  return isWritten ? `<|im_start|>system\n${text}<|im_end|>\n` : '';
}

interface AnswerPlace {
  readonly showsThinking: boolean;
  /** Whether thinking is taken out of the content. */
  readonly findsThinking: boolean;
  readonly isLast: boolean;
}

function writeAnswer(message: Message, { showsThinking, findsThinking, isLast }: AnswerPlace): string {
  const { toolCalls = [] } = message;
  const own = showsThinking ? (message.thinking ?? '') : '';
  const { thinking, content } =
    own === '' && findsThinking ? splitThinking(message.content) : { thinking: own, content: message.content };
  const calls = toolCalls.map(({ name, arguments: args }, index) => {
    const gap = content.trim() === '' ? '' : '\n\n';
    const list = Object.entries(args).map(
      ([key, value]) => `<parameter=${key}>\n${argumentText(value)}\n</parameter>\n`,
    );
    return `${index === 0 ? gap : '\n'}<tool_call>\n<function=${name}>\n${list.join('')}</function>\n</tool_call>`;
  });
  const thought = showsThinking ? `<think>\n${thinking.trim()}\n</think>\n\n` : '';
  // The model continues an answer at the end.
  return `<|im_start|>assistant\n${thought}${content}${calls.join('')}${isLast ? '' : '<|im_end|>\n'}`;
}

/** Thinking that a client left in the content. */
function splitThinking(text: string): { readonly thinking: string; readonly content: string } {
  const end = text.indexOf('</think>');
  if (end === -1) return { thinking: '', content: text };
  const before = text.slice(0, end);
  const open = before.lastIndexOf('<think>');
  return {
    thinking: open === -1 ? before : before.slice(open + '<think>'.length),
    content: text.slice(end + '</think>'.length).replace(/^\n+/, ''),
  };
}
