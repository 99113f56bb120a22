// Whether a model thinks before it answers a request, and how the prompt shows it.

import { HearthError } from '../../../base/errors.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import { fitLevel } from '../../../formats/chat/thinking/think-levels.ts';
import type { ThinkingTags } from '../../../formats/chat/thinking/thinking-parser.ts';
import { stripThinking } from '../../../formats/chat/thinking/thinking-tags.ts';
import type { RequestedModel } from '../../../models/name.ts';
import { checkThinkLevel, type ThinkOption } from '../../../models/think.ts';
import type { GenerationOptions, Message } from '../../model/conversation.ts';

/** A model that can think does so unless the request disables it. Undefined: the model cannot think. */
export function resolveThink(
  { thinkingTags, thinkLevels }: PromptTemplate,
  option: ThinkOption | undefined,
): ThinkOption | undefined {
  if (thinkingTags === undefined) return undefined;
  return typeof option === 'string' && thinkLevels !== undefined ? fitLevel(option, thinkLevels) : (option ?? true);
}

/** Throws if the request asks for thinking and the model cannot think, or not at this level. */
export function checkThink(
  { think, thinkIfAble = false }: GenerationOptions,
  { text }: RequestedModel,
  { thinkingTags, thinkLevels }: PromptTemplate,
): void {
  if (typeof think === 'string') checkThinkLevel(think, thinkLevels?.levels ?? []);
  if (think === undefined || think === false || thinkIfAble || thinkingTags !== undefined) return;
  throw new HearthError('unsupported', `"${text}" does not support thinking`);
}

const thinkVariables = ['enable_thinking', 'thinking', 'reasoning_effort', 'preserve_thinking'];

/** Names of what a request asks for, and what has no effect with this template. */
export function ignoredBy(
  { thinkingTags, hasVariable = () => false }: PromptTemplate,
  { think, thinkIfAble, templateVariables = {} }: GenerationOptions,
): readonly string[] {
  const canThink = thinkingTags !== undefined;
  const isUsed = (name: string): boolean => hasVariable(name) || (canThink && thinkVariables.includes(name));
  const unused = Object.keys(templateVariables).filter((name) => !isUsed(name));
  const ignoresThink = think && thinkIfAble && !canThink && Object.keys(templateVariables).length === 0;
  return [...unused.map((name) => `chat_template_kwargs.${name}`), ...(ignoresThink ? ['thinking'] : [])];
}

/** Removes the thinking of earlier turns that a client left in the content. */
export function stripOldThinking(messages: readonly Message[], tags: ThinkingTags | undefined): readonly Message[] {
  if (tags === undefined) return messages;
  const lastUserIndex = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, index) =>
    message.role === 'assistant' && index < lastUserIndex
      ? { ...message, content: stripThinking(message.content, tags) }
      : message,
  );
}

/** Whether the answer starts with thinking, because the prompt ends with the opening tag. */
export function endsInsideThinking(prompt: string, { open }: ThinkingTags): boolean {
  return prompt.trimEnd().endsWith(open);
}
