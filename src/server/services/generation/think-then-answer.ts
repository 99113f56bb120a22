// Thinking in a request of its own: without the grammar, which applies only to the content, and with a limit of tokens.
// A second request continues after the thinking; the prefix cache provides what the first one evaluated.

import type { ThinkingParser, ThinkingTags } from '../../../formats/chat/thinking/thinking-parser.ts';
import type { GenerateRequest, Lease } from '../../../inference/engine/ports.ts';
import { type AnswerDone, type AnswerEvent, type AnswerOptions, answer } from './answer.ts';

export interface ThinkFirst {
  readonly parser: ThinkingParser;
  readonly tags: ThinkingTags;
  /** The prompt ends with the opening tag. */
  readonly isOpen: boolean;
  /** Maximum tokens to think. */
  readonly budget?: number;
}

type Started = Extract<AnswerEvent, { type: 'started' }>;

export async function* thinkThenAnswer(options: AnswerOptions, thinking: ThinkFirst): AsyncGenerator<AnswerEvent> {
  const { parser, budget } = thinking;
  const { grammar, ...free } = options.request;
  const { numPredict } = free.options;
  const limit = budget !== undefined && (numPredict <= 0 || budget < numPredict) ? budget : numPredict;
  const request = { ...free, options: { ...free.options, numPredict: limit } };
  const thought = yield* think({ ...options, request }, parser);
  const { output, done } = thought;
  const isOverBudget = done?.reason === 'length' && limit !== numPredict && done.generatedTokens >= limit;
  if (isOverBudget) {
    const { thinking: rest } = parser.finish();
    yield* outputsOf({ thinking: rest, content: '' });
    const closed = closeThinking(output, thinking);
    yield* continueAfter(options, { ...thought, prefix: closed, thinking: closed, tokens: done.generatedTokens });
  } else if (done !== undefined && (done.reason === 'length' || grammar === undefined)) {
    // The answer ended with the thinking.
    yield* outputsOf(parser.finish());
    yield { ...done, thinkingTokens: done.generatedTokens };
  } else {
    const closed = thinkingIn(output, thinking.tags.close);
    // The content so far was generated without the grammar, or may be the trigger of one.
    const startsOver = grammar !== undefined || (free.lazyGrammar !== undefined && closed !== '');
    if (!startsOver) yield* outputsOf({ thinking: '', content: thought.content });
    yield* continueAfter(options, { ...thought, prefix: startsOver ? closed : output, thinking: closed });
  }
}

interface Thought {
  readonly started: Started | undefined;
  readonly output: string;
  /** The start of the content. */
  readonly content: string;
  /** Absent if the content has started. */
  readonly done?: AnswerDone;
}

/** Ends when the content starts. */
async function* think(options: AnswerOptions, parser: ThinkingParser): AsyncGenerator<AnswerEvent, Thought> {
  let started: Started | undefined;
  let output = '';
  for await (const event of answer(options)) {
    if (event.type === 'started') {
      started = event;
      yield event;
    } else if (event.type === 'text') {
      output += event.text;
      const { thinking, content } = parser.push(event.text);
      yield* outputsOf({ thinking, content: '' });
      if (parser.answering) return { started, output, content };
    } else if (event.type === 'done') return { started, output, content: '', done: event };
  }
  return { started, output, content: '' };
}

function thinkingIn(output: string, close: string): string {
  const end = output.indexOf(close);
  return end === -1 ? '' : `${output.slice(0, end + close.length)}\n\n`;
}

/** Ends a thought that was too long. */
function closeThinking(output: string, { tags: { open, close }, isOpen }: ThinkFirst): string {
  const whole = thinkingIn(output, close);
  if (whole !== '') return whole;
  const begun = isOpen || output.trimStart().startsWith(open) ? output.trimEnd() : open;
  return `${begun}\n${close}\n\n`;
}

interface Continuation extends Pick<Thought, 'started'> {
  /** The output that the second request continues. */
  readonly prefix: string;
  /** The part of it that is thinking. */
  readonly thinking: string;
  /** Number of tokens of the output; absent: it is counted. */
  readonly tokens?: number;
}

async function* continueAfter(
  options: AnswerOptions,
  { started, prefix, thinking, tokens }: Continuation,
): AsyncGenerator<AnswerEvent> {
  const { lease, request } = options;
  const before = tokens ?? (await countTokens(lease, prefix));
  const thinkingTokens = tokens ?? (await countTokens(lease, thinking));
  const { numPredict } = request.options;
  const left = numPredict <= 0 ? numPredict : Math.max(1, numPredict - before);
  const second = {
    ...request,
    ...afterThinking(request),
    prompt: request.prompt + prefix,
    options: { ...request.options, numPredict: left },
  };
  for await (const event of answer({ ...options, request: second })) {
    if (event.type === 'done') {
      const counts = countsOf(event, { started, before });
      options.meter.correct(counts.generatedTokens);
      yield { ...event, ...counts, thinkingTokens };
    } else if (event.type !== 'started') yield event;
  }
}

/** The tags of thinking are in the prompt now. */
function afterThinking({ lazyGrammar }: GenerateRequest): Pick<GenerateRequest, 'lazyGrammar'> {
  if (lazyGrammar === undefined) return {};
  const { thinking: _, ...rest } = lazyGrammar;
  return { lazyGrammar: rest };
}

// In the second request the prefix is part of the prompt; for the caller it was generated.
function countsOf(
  done: AnswerDone,
  { started, before }: { readonly started: Started | undefined; readonly before: number },
): Pick<AnswerDone, 'promptTokens' | 'cachedTokens' | 'generatedTokens'> {
  const { promptTokens, cachedTokens } = started ?? done;
  return { promptTokens, cachedTokens, generatedTokens: done.generatedTokens + before };
}

export async function countTokens(lease: Lease, text: string): Promise<number> {
  return text === '' ? 0 : lease.countTokens(text);
}

export function* outputsOf({ thinking, content }: ReturnType<ThinkingParser['push']>): Generator<AnswerEvent> {
  if (thinking !== '') yield { type: 'thinking', text: thinking };
  if (content !== '') yield { type: 'text', text: content };
}
