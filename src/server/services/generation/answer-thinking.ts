// Answers of models that think first: separates the thinking from the content. A grammar applies only to the content, so
// with a grammar the thinking is generated without it, and the content by a second request that continues after it.

import { HearthError } from '../../../base/errors.ts';
import type { Message } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import {
  createThinkingParser,
  type ThinkingParser,
  type ThinkingTags,
} from '../../../formats/chat/thinking/thinking-parser.ts';
import { stripThinking } from '../../../formats/chat/thinking/thinking-tags.ts';
import type { Lease } from '../../../inference/engine/ports.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { ThinkOption } from '../../../models/think.ts';
import { type AnswerDone, type AnswerEvent, type AnswerOptions, answer } from './answer.ts';
import type { GenerationOptions } from './generation-options.ts';

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

/** `tags` are undefined if the model does not think; then all output is content. */
export function answerThinking(options: AnswerOptions, tags: ThinkingTags | undefined): AsyncGenerator<AnswerEvent> {
  if (tags === undefined) return answer(options);
  const { prompt, grammar } = options.request;
  const parser = createThinkingParser(tags, prompt.trimEnd().endsWith(tags.open));
  return grammar === undefined ? splitThinking(options, parser) : thinkThenAnswer(options, tags, parser);
}

async function* splitThinking(options: AnswerOptions, parser: ThinkingParser): AsyncGenerator<AnswerEvent> {
  let thinking = '';
  const split = function* (output: ReturnType<ThinkingParser['push']>): Generator<AnswerEvent> {
    thinking += output.thinking;
    yield* outputsOf(output);
  };
  for await (const event of answer(options)) {
    if (event.type === 'text') yield* split(parser.push(event.text));
    else if (event.type === 'done') {
      yield* split(parser.finish());
      yield { ...event, thinkingTokens: await countThinking(options.lease, thinking, event.generatedTokens) };
    } else yield event;
  }
}

/** Text can have more tokens than the model used for it; `generated` is the limit. */
async function countThinking(lease: Lease, thinking: string, generated: number): Promise<number> {
  return thinking === '' ? 0 : Math.min(await lease.countTokens(thinking), generated);
}

function* outputsOf({ thinking, content }: ReturnType<ThinkingParser['push']>): Generator<AnswerEvent> {
  if (thinking !== '') yield { type: 'thinking', text: thinking };
  if (content !== '') yield { type: 'text', text: content };
}

interface Thought {
  readonly output: string;
  /** Of the prompt before it. */
  readonly cachedTokens: number;
  /** Absent if the model began to answer. */
  readonly done?: AnswerDone;
}

async function* think(options: AnswerOptions, parser: ThinkingParser): AsyncGenerator<AnswerEvent, Thought> {
  let output = '';
  let cachedTokens = 0;
  for await (const event of answer(options)) {
    if (event.type === 'started') {
      cachedTokens = event.cachedTokens;
      yield event;
    } else if (event.type === 'text') {
      output += event.text;
      const { thinking } = parser.push(event.text);
      if (thinking !== '') yield { type: 'thinking', text: thinking };
      if (parser.answering) break;
    } else if (event.type === 'done') return { output, cachedTokens, done: event };
  }
  return { output, cachedTokens };
}

async function* thinkThenAnswer(
  options: AnswerOptions,
  { close }: ThinkingTags,
  parser: ThinkingParser,
): AsyncGenerator<AnswerEvent> {
  const { grammar: _, ...free } = options.request;
  const { output, cachedTokens, done } = yield* think({ ...options, request: free }, parser);
  if (done?.reason === 'length') {
    // The thinking used up all tokens.
    yield* outputsOf(parser.finish());
    yield { ...done, thinkingTokens: done.generatedTokens };
    return;
  }
  for await (const event of continueAfter(options, thinkingIn(output, close)))
    yield event.type === 'done' ? { ...event, cachedTokens } : event;
}

function thinkingIn(output: string, close: string): string {
  const end = output.indexOf(close);
  return end === -1 ? '' : `${output.slice(0, end + close.length)}\n\n`;
}

async function* continueAfter(options: AnswerOptions, thinking: string): AsyncGenerator<AnswerEvent> {
  const { lease, request } = options;
  const thinkingTokens = thinking === '' ? 0 : await lease.countTokens(thinking);
  const { numPredict } = request.options;
  const left = numPredict <= 0 ? numPredict : Math.max(1, numPredict - thinkingTokens);
  const second = { ...request, prompt: request.prompt + thinking, options: { ...request.options, numPredict: left } };
  for await (const event of answer({ ...options, request: second })) {
    if (event.type === 'done') yield withThinkingTokens(event, thinkingTokens);
    else if (event.type !== 'started') yield event;
  }
}

// In the second request the thinking is part of the prompt; the caller counts it as generated.
function withThinkingTokens(done: AnswerDone, thinkingTokens: number): AnswerDone {
  return {
    ...done,
    promptTokens: Math.max(0, done.promptTokens - thinkingTokens),
    generatedTokens: done.generatedTokens + thinkingTokens,
    thinkingTokens,
  };
}
