// FunctionGemma: a small model that calls functions. Results of calls are a part of the turn of the model.

import { compareText } from '../../go-template/values/values.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import type { ToolProperties } from '../tool-schema.ts';
import { writeGemmaCall, writeGemmaDeclaration, writeGemmaValue } from './gemma-values.ts';
import type { Renderer } from './renderer.ts';

const notation = { quote: '<escape>', nothing: '<nil>' } as const;
const instruction = 'You can do function calling with the following functions:';
const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

export const functionGemmaRenderer: Renderer = {
  render({ messages, tools }) {
    const [first] = messages;
    const hasSystem = first !== undefined && isSystem(first);
    const turns = hasSystem ? messages.slice(1) : messages;
    return `<bos>${writeSystem(hasSystem ? first.content : '', tools)}${writeTurns(turns)}`;
  },
};

function writeSystem(system: string, tools: readonly Tool[]): string {
  if (system === '' && tools.length === 0) return '';
  const text = system.trim();
  const separator = system !== '' && tools.length > 0 ? '\n' : '';
  const asks = tools.length > 0 && text !== instruction ? instruction : '';
  const declarations = tools.map(
    (tool) =>
      `<start_function_declaration>${writeGemmaDeclaration(tool, notation, writeProperties)}<end_function_declaration>`,
  );
  return `<start_of_turn>developer\n${text}${separator}${asks}${declarations.join('')}<end_of_turn>\n`;
}

function writeProperties(properties: ToolProperties): string {
  return properties
    .toSorted(([a], [b]) => compareText(a, b))
    .map(
      ([
        name,
        {
          description,
          types: [type],
        },
      ]) => {
        const typeText = type === undefined ? '' : `,type:<escape>${type.toUpperCase()}<escape>`;
        return `${name}:{description:<escape>${description}<escape>${typeText}}`;
      },
    )
    .join(',');
}

function writeTurns(turns: readonly Message[]): string {
  /** Calls whose results come next. */
  let calls: readonly MessageToolCall[] = [];
  let results = 0;
  /** After a result, the turn of the model goes on. */
  let followsResult = false;
  const written = turns.map((message, index) => {
    const { role, content, toolCalls = [] } = message;
    if (role === 'tool') {
      followsResult = true;
      return writeToolResult(content, calls[results++]?.name ?? '', turns[index - 1]);
    }
    const isKnown = role === 'assistant' || role === 'user';
    const start = isKnown && followsResult ? '' : `<start_of_turn>${role === 'assistant' ? 'model' : role}\n`;
    if (isKnown) followsResult = false;
    if (role !== 'assistant' || toolCalls.length === 0) return `${start}${content.trim()}<end_of_turn>\n`;
    [calls, results] = [toolCalls, 0];
    return start + content.trim() + writeCalls(calls, turns[index + 1]);
  });
  return written.join('') + (followsResult ? '' : '<start_of_turn>model\n');
}

/** The response of the first result begins after the calls. */
function writeCalls(calls: readonly MessageToolCall[], next: Message | undefined): string {
  const written = calls.map((call) => `<start_function_call>${writeGemmaCall(call, notation)}<end_function_call>`);
  return written.join('') + (next?.role === 'tool' ? responseStart : '<end_of_turn>\n');
}

function writeToolResult(content: string, name: string, previous: Message | undefined): string {
  const isOpen = previous?.role === 'assistant' && (previous.toolCalls ?? []).length > 0;
  return `${isOpen ? '' : responseStart}response:${name}{${writeGemmaValue(content, notation)}}<end_function_response>`;
}

const responseStart = '<start_function_response>';
