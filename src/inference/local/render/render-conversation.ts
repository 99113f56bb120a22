// From the messages of a conversation to a prompt: adds the messages of the model, and renders as much history as fits.

import { placeSystemMessages } from '../../../formats/chat/late-system.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ThinkOption } from '../../../models/think.ts';
import type { Lease } from '../../engine/ports.ts';
import type { Conversation, Message } from '../../model/conversation.ts';
import { withModelMessages } from '../../model/read-messages.ts';
import { type ChatPrompt, type ChatPromptSource, checkPromptLength, completePrompt, fitPrompt } from './fit-prompt.ts';
import { stripOldThinking } from './thinking.ts';

interface RenderParts {
  /** With decoded images. */
  readonly messages: readonly Message[];
  readonly model: { readonly system: string; readonly messages: readonly Message[] };
  readonly template: PromptTemplate;
  readonly think: ThinkOption | undefined;
}

type Rendered = Pick<Conversation, 'tools' | 'systemInPlace' | 'truncate' | 'templateVariables'>;

/** As much of the conversation as fits. Throws if it does not fit and may not be truncated. */
export async function renderFitting(conversation: Rendered, parts: RenderParts, lease: Lease): Promise<ChatPrompt> {
  const source = await sourceOf(conversation, parts);
  const limit = { contextLength: lease.model.info.contextLength, countTokens: lease.countTokens };
  if (conversation.truncate !== false) return fitPrompt(source, limit);
  const prompt = await completePrompt(source);
  await checkPromptLength(prompt, limit);
  return prompt;
}

/** The entire conversation, even if it does not fit. */
export async function renderComplete(conversation: Rendered, parts: RenderParts): Promise<ChatPrompt> {
  return completePrompt(await sourceOf(conversation, parts));
}

async function sourceOf(
  { tools, systemInPlace, templateVariables: variables }: Rendered,
  { messages, model, template, think }: RenderParts,
): Promise<ChatPromptSource> {
  const placed = systemInPlace ? await placeSystemMessages(messages, template) : messages;
  const complete = withModelMessages(placed, model);
  const keepsThinking = template.isRendered || variables?.['preserve_thinking'] === true;
  return {
    template,
    tools,
    messages: keepsThinking ? complete : stripOldThinking(complete, template.thinkingTags),
    think,
    variables,
  };
}
