// Answers of models that think first: separates the thinking from the content.

import { HearthError } from '../../../base/errors.ts';
import type { Message } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import {
  createThinkingParser,
  type ThinkingParser,
  type ThinkingTags,
} from '../../../formats/chat/thinking/thinking-parser.ts';
import { stripThinking } from '../../../formats/chat/thinking/thinking-tags.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { ThinkOption } from '../../../models/think.ts';
import { type AnswerEvent, type AnswerOptions, answer } from './answer.ts';
import type { GenerationOptions } from './generation-options.ts';
import { countTokens, outputsOf, thinkThenAnswer } from './think-then-answer.ts';

/** A model that can think does so unless the request disables it. Undefined: the model cannot think. */
export function resolveThink(
  { thinkingTags }: PromptTemplate,
  option: ThinkOption | undefined,
): ThinkOption | undefined {
  return thinkingTags === undefined ? undefined : (option ?? true);
}

/** Throws if the request asks for thinking and the model cannot think. */
export function checkThink(
  { think, thinkIfAble = false }: GenerationOptions,
  { text }: RequestedModel,
  { thinkingTags }: PromptTemplate,
): void {
  if (think === undefined || think === false || thinkIfAble || thinkingTags !== undefined) return;
  throw new HearthError('unsupported', `"${text}" does not support thinking`);
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

/** `tags` are undefined if the model does not think; then all output is content. `budget`: maximum tokens to think. */
export function answerThinking(
  options: AnswerOptions,
  tags: ThinkingTags | undefined,
  budget?: number,
): AsyncGenerator<AnswerEvent> {
  if (tags === undefined) return answer(options);
  const { prompt, grammar } = options.request;
  const isOpen = isInside(prompt, tags);
  const parser = createThinkingParser(tags, isOpen);
  if (grammar === undefined && budget === undefined) return splitThinking(options, parser);
  return thinkThenAnswer(options, { parser, tags, isOpen, ...(budget === undefined ? {} : { budget }) });
}

/** Whether the answer starts with thinking, because the prompt ends with the opening tag. */
export function isInside(prompt: string, { open }: ThinkingTags): boolean {
  return prompt.trimEnd().endsWith(open);
}

async function* splitThinking(options: AnswerOptions, parser: ThinkingParser): AsyncGenerator<AnswerEvent> {
  let thinking = '';
  const split = function* (output: ReturnType<ThinkingParser['push']>): Generator<AnswerEvent> {
    thinking += output.thinking;
    yield* outputsOf(output);
  };
  for await (const event of answer(options)) {
    if (event.type === 'text') for (const part of split(parser.push(event.text))) yield part;
    else if (event.type === 'done') {
      yield* split(parser.finish());
      // Tokenized again, a text may have more tokens than were generated for it.
      const thinkingTokens = Math.min(await countTokens(options.lease, thinking), event.generatedTokens);
      yield { ...event, thinkingTokens };
    } else yield event;
  }
}
