// Renders messages through a model's Go template.

import type { Effort } from '../../base/effort.ts';
import { type ThinkOption, thinkLevelOf } from '../../models/think.ts';
import type { Template } from '../go-template/template.ts';
import { collate, type Message, type Tool } from './message.ts';
import { toMessageData } from './template-data.ts';
import { toToolsData } from './tool-data.ts';

/** The texts before and after the gap to fill. */
export interface Insertion {
  readonly prompt: string;
  readonly suffix: string;
}

export function renderInsertion(template: Template, { prompt, suffix }: Insertion, effort?: Effort): string {
  return template.render({ Prompt: prompt, Suffix: suffix, Response: '' }, withEffort(effort));
}

export interface PromptConversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Absent if the model cannot think. */
  readonly think?: ThinkOption;
  /** Further variables of a Jinja template. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

export function renderMessages(template: Template, conversation: PromptConversation, effort?: Effort): string {
  const messages = collate(conversation.messages);
  return template.mentions.has('messages')
    ? renderAll(template, { ...conversation, messages }, effort)
    : renderTurns(template, messages, effort);
}

function renderAll(
  template: Template,
  { messages, tools, think }: PromptConversation,
  effort: Effort | undefined,
): string {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const data = {
    System: system.join('\n\n'),
    Messages: messages.map(toMessageData),
    Tools: toToolsData(tools),
    Response: '',
    Think: think !== undefined && think !== false,
    ThinkLevel: think === undefined ? '' : thinkLevelOf(think),
    IsThinkSet: think !== undefined,
  };
  return template.render(data, withEffort(effort));
}

function withEffort(effort: Effort | undefined): { readonly effort?: Effort } {
  return effort === undefined ? {} : { effort };
}

interface Turn {
  System: string;
  Prompt: string;
  Response: string;
}

const emptyTurn = (): Turn => ({ System: '', Prompt: '', Response: '' });

// Older templates describe one turn and are rendered once per turn. The last turn is cut after the response, where the
// model continues.
function renderTurns(template: Template, messages: readonly Message[], effort: Effort | undefined): string {
  let text = '';
  let turn = emptyTurn();
  const finishTurn = (): void => {
    text += template.render({ ...turn }, withEffort(effort));
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
  return text + template.cutAfter('Response').render({ ...turn }, withEffort(effort));
}
