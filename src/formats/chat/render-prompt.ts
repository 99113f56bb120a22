// Renders messages through a model's Go template.

import { type ThinkOption, thinkLevelOf } from '../../models/think.ts';
import type { Template } from '../go-template/template.ts';
import { collate, type Message, type Tool } from './message.ts';
import { toMessageData, toToolsData } from './template-data.ts';

/** `prompt` and `suffix` are the texts before and after the gap to fill. */
export function renderInsertion(template: Template, prompt: string, suffix: string): string {
  return template.render({ Prompt: prompt, Suffix: suffix, Response: '' });
}

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Absent if the model cannot think. */
  readonly think?: ThinkOption;
}

export function renderMessages(template: Template, conversation: Conversation): string {
  const messages = collate(conversation.messages);
  return template.mentions.has('messages')
    ? renderAll(template, { ...conversation, messages })
    : renderTurns(template, messages);
}

function renderAll(template: Template, { messages, tools, think }: Conversation): string {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return template.render({
    System: system.join('\n\n'),
    Messages: messages.map(toMessageData),
    Tools: toToolsData(tools),
    Response: '',
    Think: think !== undefined && think !== false,
    ThinkLevel: think === undefined ? '' : thinkLevelOf(think),
    IsThinkSet: think !== undefined,
  });
}

interface Turn {
  System: string;
  Prompt: string;
  Response: string;
}

const emptyTurn = (): Turn => ({ System: '', Prompt: '', Response: '' });

// Older templates describe one turn and are rendered once per turn. The last turn is cut after the response, where the
// model continues.
function renderTurns(template: Template, messages: readonly Message[]): string {
  let text = '';
  let turn = emptyTurn();
  const finishTurn = (): void => {
    text += template.render({ ...turn });
    turn = emptyTurn();
  };
  for (const { role, content } of messages) {
    if (role === 'system') {
      if (turn.Prompt !== '' || turn.Response !== '') finishTurn();
      turn.System = content;
    } else if (role === 'user') {
      if (turn.Response !== '') finishTurn();
      turn.Prompt = content;
    } else if (role === 'assistant') {
      turn.Response = content;
    }
  }
  return text + template.cutAfter('Response').render({ ...turn });
}
