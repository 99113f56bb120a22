// Gemma 4: calls, their results and the next answer are one turn of the model. The large models need an empty thought where
// they shall not think.

import type { Message, MessageToolCall } from '../message.ts';
import { writeGemmaCall, writeGemmaValue } from './gemma-values.ts';
import { gemma4Notation, writeGemma4Declaration } from './gemma4-declaration.ts';
import type { Renderer, RendererInput } from './renderer.ts';

export const gemma4Renderer: Renderer = { render: (input) => render(input, '') };

export const gemma4LargeRenderer: Renderer = {
  render: (input) => render(input, '<|channel>thought\n<channel|>'),
};

function render({ messages, tools, think }: RendererInput, emptyThought: string): string {
  const thinks = Boolean(think);
  const [first] = messages;
  const system = first?.role === 'system' || first?.role === 'developer' ? first.content.trim() : undefined;
  const turns = toTurns(system === undefined ? messages : messages.slice(1));
  const parts = ['<bos>'];
  if (system !== undefined || tools.length > 0 || thinks) {
    const declarations = tools.map((tool) => `<|tool>${writeGemma4Declaration(tool)}<tool|>`);
    parts.push(`<|turn>system\n${thinks ? '<|think|>\n' : ''}${system ?? ''}${declarations.join('')}<turn|>\n`);
  }
  parts.push(turns.map(writeTurn).join(''));
  const last = turns.at(-1)?.kind ?? 'text';
  if (last === 'text') parts.push('<|turn>model\n', thinks ? '' : emptyThought);
  else if (last === 'results' && thinks) parts.push('<|channel>thought\n');
  return parts.join('');
}

/** A message with the results of its calls, which other messages do not have. */
interface Turn {
  readonly message: Message;
  readonly kind: 'text' | 'calls' | 'results';
  readonly results: readonly Message[];
  readonly previousRole: string | undefined;
  readonly nextRole: string | undefined;
  /** Whether it answers the last question. */
  readonly isCurrent: boolean;
}

function toTurns(messages: readonly Message[]): readonly Turn[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const turns: Turn[] = [];
  for (let index = 0, end = 0; index < messages.length; index = end) {
    end = index + 1;
    const message = messages[index] as Message;
    if (message.role === 'tool') continue;
    while (messages[end]?.role === 'tool') end++;
    const hasCalls = (message.toolCalls ?? []).length > 0;
    const results = hasCalls ? messages.slice(index + 1, end) : [];
    turns.push({
      message,
      kind: results.length > 0 ? 'results' : hasCalls ? 'calls' : 'text',
      results,
      previousRole: turns.at(-1)?.message.role,
      nextRole: messages[end]?.role,
      isCurrent: index > lastUser,
    });
  }
  return turns;
}

function writeTurn(turn: Turn): string {
  const { message, results, isCurrent } = turn;
  const { role, content, images = [], toolCalls = [], thinking = '' } = message;
  const isModel = role === 'assistant';
  const start = isModel ? (turn.previousRole === 'assistant' ? '' : '<|turn>model\n') : `<|turn>${role}\n`;
  const thought = isModel && thinking !== '' && isCurrent ? `<|channel>thought\n${thinking}\n<channel|>` : '';
  const calls = toolCalls.map((call) => `<|tool_call>${writeGemmaCall(call, gemma4Notation)}<tool_call|>`);
  const responses = results.map((result) => writeResult(result, toolCalls));
  const text = closeToImages(isModel ? withoutThoughts(content) : content.trim(), images.length > 0);
  return start + thought + calls.join('') + responses.join('') + text + endOf(turn, text);
}

function endOf({ message, kind, nextRole }: Turn, text: string): string {
  if (kind === 'calls') return '<|tool_response>';
  const goesOn = message.role === 'assistant' && nextRole === 'assistant';
  const awaitsAnswer = kind === 'results' && text === '' && nextRole === undefined;
  return goesOn || awaitsAnswer ? '' : '<turn|>\n';
}

function writeResult({ toolName, toolCallId, content }: Message, calls: readonly MessageToolCall[]): string {
  const called = toolCallId ? calls.find(({ id }) => id === toolCallId)?.name : undefined;
  const name = called ?? (toolName || 'unknown');
  return `<|tool_response>response:${name}{value:${writeGemmaValue(content, gemma4Notation)}}<tool_response|>`;
}

/** One space between the tags of images and the text. */
function closeToImages(text: string, hasImages: boolean): string {
  return hasImages ? text.replace(/^((?:\[img-\d+\])+)\s+/, '$1 ') : text;
}

/** Removes thoughts that a client left in the content. A thought without an end reaches to the end. */
function withoutThoughts(content: string): string {
  return content.replace(/<\|channel>.*?(?:<channel\|>|$)/gs, '').trim();
}
