// From messages to the prompt that a model reads, through its template.

import { thinkLevelOf, type ThinkOption } from '../../models/think.ts';
import type { Template } from '../go-template/template.ts';
import { collate, type Message, type Tool } from './message.ts';
import { toMessageData, toToolsData } from './template-data.ts';

/** A gap to fill: the text before it and the text after it. */
export function renderInsertion(template: Template, prompt: string, suffix: string): string {
  return template.render({ Prompt: prompt, Suffix: suffix, Response: '' });
}

export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Whether, and how hard, the model should think; absent where it cannot. */
  readonly think?: ThinkOption;
}

export function renderMessages(template: Template, conversation: Conversation): string {
  const messages = collate(conversation.messages);
  return template.mentions.has('messages')
    ? renderWhole(template, { ...conversation, messages })
    : renderTurns(template, messages);
}

function renderWhole(template: Template, { messages, tools, think }: Conversation): string {
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

// Older templates describe one turn; a conversation is the template once per turn. The last time it is cut where
// the answer stands, for that is where the model goes on.
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
