// Command A of 2026 and the North models of Cohere. Calls are numbered through the conversation.

import { toGoJson } from '../../go-template/functions/json-text.ts';
import type { Message, Tool } from '../message.ts';
import { parametersJson, readParameters } from '../tool-schema.ts';
import { addSpaces, spacedArgumentsJson } from './go-text.ts';
import type { Renderer } from './renderer.ts';

const systemTurn = '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>';
const userTurn = '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>';
const modelTurn = '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>';
const endOfTurn = '<|END_OF_TURN_TOKEN|>';
const textEnd = `<|END_TEXT|>${endOfTurn}`;

export const cohereRenderer: Renderer = {
  render({ messages, tools, think }) {
    const [first] = messages;
    const hasSystem = first !== undefined && roleOf(first) === 'system';
    const turns = hasSystem ? messages.slice(1) : messages;
    const system = hasSystem && first.content !== '' ? `${first.content}\n\n\n\n` : '';
    const last = turns.at(-1);
    // The model continues a text at the end.
    const isOpen = last !== undefined && roleOf(last) === 'assistant' && (last.toolCalls ?? []).length === 0;
    const thinking = `<|START_THINKING|>${think === false ? '<|END_THINKING|>' : ''}`;
    const head = `${systemTurn}<|START_TEXT|>${system}${writeTools(tools)}${textEnd}`;
    return head + writeTurns(turns) + (isOpen ? '' : modelTurn + thinking);
  },
};

function roleOf({ role }: Message): string {
  const name = role.toLowerCase();
  return name === 'chatbot' ? 'assistant' : name;
}

function writeTurns(turns: readonly Message[]): string {
  const numbers = new Map<string, string>();
  let calls = 0;
  const numberOf = (id: string | undefined): string => {
    const number = String(calls++);
    if (id && !numbers.has(id)) numbers.set(id, number);
    return number;
  };
  const isResult = (message: Message | undefined): boolean => message !== undefined && roleOf(message) === 'tool';
  const written = turns.map((message, index) => {
    const { content, toolCalls = [], toolCallId = '' } = message;
    switch (roleOf(message)) {
      case 'system':
        return `${systemTurn}<|START_TEXT|>${content}${textEnd}`;
      case 'user':
        return `${userTurn}<|START_TEXT|>${content}${textEnd}`;
      case 'assistant':
        if (toolCalls.length > 0) return modelTurn + writeCalls(message, numberOf);
        return `${modelTurn}${writeThought(message)}<|START_TEXT|>${content}${index === turns.length - 1 ? '' : textEnd}`;
      case 'tool': {
        // Results in a row share a turn.
        const start = isResult(turns[index - 1]) ? ',' : `${systemTurn}<|START_TOOL_RESULT|>[`;
        const end = isResult(turns[index + 1]) ? '' : `\n\n]<|END_TOOL_RESULT|>${endOfTurn}`;
        return start + writeToolResult(numbers.get(toolCallId) ?? toolCallId, content) + end;
      }
      default:
        return '';
    }
  });
  return written.join('');
}

// Blanks and line breaks are as the template of the model writes them.

function writeTools(tools: readonly Tool[]): string {
  const list = tools.map((tool, index) => {
    const parameters = addSpaces(parametersJson(readParameters(tool)));
    const name = toGoJson(tool.name);
    const description = toGoJson(tool.description);
    const entry = `{"name": ${name}, "description": ${description}, "parameters": ${parameters}, "responses": null}`;
    return `\n    ${entry}${index < tools.length - 1 ? ',' : ''}\n\n`;
  });
  return `# Available Tools\n\`\`\`json\n[\n${list.join('') || '\n\n'}\n]\n\`\`\``;
}

function writeThought({ thinking = '' }: Message): string {
  return thinking === '' ? '' : `<|START_THINKING|>${thinking}<|END_THINKING|>`;
}

function writeCalls(message: Message, numberOf: (id: string | undefined) => string): string {
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: values }) => {
    const parameters = spacedArgumentsJson(values);
    return `\n\n    {"tool_call_id": "${numberOf(id)}", "tool_name": "${name}", "parameters": ${parameters}}`;
  });
  const thought = writeThought(message);
  return `\n            \n                ${thought}<|START_ACTION|>[${calls.join(',')}\n\n]<|END_ACTION|>${endOfTurn}`;
}

function writeToolResult(id: string, content: string): string {
  const result = `{"content": ${toGoJson(content)}}`;
  return `
    {
        "tool_call_id": "${id}",
        "results": {

            ${''}
            "0": ${result}

        },
        "is_error": null
    }`;
}
