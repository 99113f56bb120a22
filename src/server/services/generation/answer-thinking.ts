// Answers of models that think first: the thought is told apart from the answer. A grammar is for the answer alone, so
// with one the thought is let run free, and the answer is asked for in a second go that begins behind it.

import type { Message } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import {
  createThinkingParser,
  type ThinkingParser,
  type ThinkingTags,
} from '../../../formats/chat/thinking/thinking-parser.ts';
import { withoutThought } from '../../../formats/chat/thinking/thinking-tags.ts';
import type { ThinkOption } from '../../../models/think.ts';
import { type AnswerDone, type AnswerEvent, type AnswerOptions, answer } from './answer.ts';

/** What a model is asked for: it thinks unless it is told not to. Undefined where it cannot. */
export function settleThinking(
  { thinkingTags }: PromptTemplate,
  option: ThinkOption | undefined,
): ThinkOption | undefined {
  return thinkingTags === undefined ? undefined : (option ?? true);
}

/** Thoughts of earlier turns are not shown to the model again, also where a client left them in the content. */
export function withoutOldThoughts(messages: readonly Message[], tags: ThinkingTags | undefined): readonly Message[] {
  if (tags === undefined) return messages;
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, index) =>
    message.role === 'assistant' && index < lastQuestion
      ? { ...message, content: withoutThought(message.content, tags) }
      : message,
  );
}

/** `tags` of a model that thinks now; undefined: all that it says is its answer. */
export function answerThinking(options: AnswerOptions, tags: ThinkingTags | undefined): AsyncGenerator<AnswerEvent> {
  if (tags === undefined) return answer(options);
  const { prompt, grammar } = options.request;
  const parser = createThinkingParser(tags, prompt.trimEnd().endsWith(tags.open));
  return grammar === undefined ? splitThinking(answer(options), parser) : thinkThenFollow(options, tags, parser);
}

async function* splitThinking(events: AsyncIterable<AnswerEvent>, parser: ThinkingParser): AsyncGenerator<AnswerEvent> {
  for await (const event of events) {
    if (event.type === 'text') yield* outputsOf(parser.push(event.text));
    else {
      if (event.type === 'done') yield* outputsOf(parser.finish());
      yield event;
    }
  }
}

function* outputsOf({ thinking, content }: ReturnType<ThinkingParser['push']>): Generator<AnswerEvent> {
  if (thinking !== '') yield { type: 'thinking', text: thinking };
  if (content !== '') yield { type: 'text', text: content };
}

async function* thinkThenFollow(
  options: AnswerOptions,
  { close }: ThinkingTags,
  parser: ThinkingParser,
): AsyncGenerator<AnswerEvent> {
  const { grammar: _, ...free } = options.request;
  let said = '';
  for await (const event of answer({ ...options, request: free })) {
    if (event.type === 'text') {
      said += event.text;
      const { thinking } = parser.push(event.text);
      if (thinking !== '') yield { type: 'thinking', text: thinking };
      if (parser.answering) break;
    } else if (event.type === 'started') yield event;
    else if (event.type === 'done' && event.reason === 'length') {
      // The thought took all the room there was.
      yield* outputsOf(parser.finish());
      yield event;
      return;
    }
  }
  yield* follow(options, thoughtIn(said, close));
}

function thoughtIn(said: string, close: string): string {
  const end = said.indexOf(close);
  return end === -1 ? '' : `${said.slice(0, end + close.length)}\n\n`;
}

async function* follow(options: AnswerOptions, thought: string): AsyncGenerator<AnswerEvent> {
  const { lease, request } = options;
  const spent = thought === '' ? 0 : await lease.countTokens(thought);
  const { numPredict } = request.options;
  const left = numPredict < 0 ? numPredict : Math.max(1, numPredict - spent);
  const second = { ...request, prompt: request.prompt + thought, options: { ...request.options, numPredict: left } };
  for await (const event of answer({ ...options, request: second })) {
    if (event.type === 'done') yield withThought(event, spent);
    else if (event.type !== 'started') yield event;
  }
}

function withThought(done: AnswerDone, spent: number): AnswerDone {
  return {
    ...done,
    promptTokens: Math.max(0, done.promptTokens - spent),
    generatedTokens: done.generatedTokens + spent,
  };
}
