// Converts the output of the chat service to parts of the OpenAI dialect, and folds all parts into one object.

import { HearthError } from '../../../../base/errors.ts';
import { pipe } from '../../../../base/pipe.ts';
import type { AnswerDone, AnswerEvent } from '../../../../inference/model/answer-event.ts';
import { createLogprobBuffer } from '../../shared/logprob-bodies.ts';
import { createEntryLimit, toVllmPromptLogprob } from '../../shared/prompt-logprobs.ts';
import { AnswerProgress, type PartProgress } from '../answer-progress.ts';
import { toOutputLogprob, toUsage } from '../generation-fields.ts';
import type { CompletionHead, OutputLogprob } from '../generation-schema.ts';
import type { Tagged } from '../interleave.ts';
import type {
  ChatCompletionDelta,
  ChatCompletionResponseBody,
  ChatCompletionToolCall,
  FinishReason,
} from './chat-schema.ts';

type PromptLogprobs = NonNullable<ChatCompletionResponseBody['prompt_logprobs']>;

export type ChatPart =
  | Extract<AnswerEvent, { type: 'started' }>
  | { readonly type: 'prompt'; readonly logprobs: PromptLogprobs; readonly progress: PartProgress }
  | {
      readonly type: 'delta';
      readonly delta: ChatCompletionDelta;
      readonly logprobs?: readonly OutputLogprob[];
      readonly progress: PartProgress;
    }
  | {
      readonly type: 'done';
      readonly done: AnswerDone;
      readonly reason: FinishReason;
      readonly progress: PartProgress;
    };

interface PartOptions {
  /** The number of the choice. */
  readonly index: number;
  /** False: the thinking is left out. */
  readonly reasoning: boolean;
  /** The number of the likeliest tokens for each token of the prompt. Absent: they are not reported. */
  readonly promptTop?: number | undefined;
}

export function toChatParts(
  outputs: AsyncIterable<AnswerEvent>,
  { index, reasoning, promptTop }: PartOptions,
): AsyncGenerator<Tagged<ChatPart>> {
  const buffer = createLogprobBuffer(toOutputLogprob);
  const progress = new AnswerProgress();
  const checkSize = createEntryLimit(promptTop ?? -1);
  let calls = 0;
  return pipe(outputs, {
    push(output: AnswerEvent, pass: (part: Tagged<ChatPart>) => void) {
      progress.follow(output);
      if (output.type === 'started') {
        checkSize(output);
        pass({ index, item: output });
      }
      if (output.type === 'prompt-tokens' && promptTop !== undefined) {
        const logprobs = output.tokens.map((token) => toVllmPromptLogprob(token, promptTop));
        pass({ index, item: { type: 'prompt', logprobs, progress: progress.take() } });
      }
      if (output.type === 'tokens') buffer.put(output);
      const delta = output.type === 'thinking' && !reasoning ? undefined : toDelta(output, calls);
      calls += delta?.tool_calls?.length ?? 0;
      if (delta !== undefined)
        pass({ index, item: { type: 'delta', delta, ...buffer.take(), progress: progress.take() } });
      if (output.type === 'done')
        pass({
          index,
          item: { type: 'done', done: output, reason: finishReason(output, calls), progress: progress.take() },
        });
    },
  });
}

/** `calls`: the number of earlier tool calls. */
function toDelta(output: AnswerEvent, calls: number): ChatCompletionDelta | undefined {
  switch (output.type) {
    case 'thinking':
      return { reasoning: output.text };
    case 'text':
      return { content: output.text };
    case 'tool-calls':
      return { tool_calls: output.calls.map((call, index) => toCall(call, calls + index)) };
    default:
      return undefined;
  }
}

function finishReason({ reason }: AnswerDone, calls: number): FinishReason {
  return calls > 0 && reason === 'stop' ? 'tool_calls' : reason;
}

function toCall(
  { id = '', name, arguments: values }: Extract<AnswerEvent, { type: 'tool-calls' }>['calls'][number],
  index: number,
): ChatCompletionToolCall {
  return { id, index, type: 'function', function: { name, arguments: JSON.stringify(values) } };
}

interface Folded {
  content: string;
  reasoning: string;
  readonly calls: ChatCompletionToolCall[];
  readonly logprobs: OutputLogprob[];
  tokenIds: readonly number[] | undefined;
  last: Extract<ChatPart, { type: 'done' }> | undefined;
}

/** All parts as one object. */
export async function foldChat(
  outputs: AsyncIterable<Tagged<ChatPart>>,
  count: number,
  head: CompletionHead<'chat.completion'>,
): Promise<ChatCompletionResponseBody> {
  const answers = Array.from(
    { length: count },
    (): Folded => ({ content: '', reasoning: '', calls: [], logprobs: [], tokenIds: undefined, last: undefined }),
  );
  let promptIds: readonly number[] | undefined;
  const prompt: PromptLogprobs[number][] = [];
  for await (const { index, item } of outputs) {
    const answer = answers[index] as Folded;
    if (item.type === 'started') promptIds = item.promptIds;
    else if (item.progress.tokenIds) answer.tokenIds = [...(answer.tokenIds ?? []), ...item.progress.tokenIds];
    if (item.type === 'done') answer.last = item;
    if (item.type === 'prompt') prompt.push(...item.logprobs);
    if (item.type === 'delta') addDelta(answer, item);
  }
  const lasts = answers.map(({ last }) => {
    if (last === undefined) throw new HearthError('internal', 'a response ended without its last object');
    return last;
  });
  return {
    ...head,
    choices: answers.map((answer, index) => toChoice(answer, index)),
    usage: toUsage([lasts.map(({ done }) => done)]),
    ...(promptIds ? { prompt_token_ids: promptIds } : {}),
    ...(prompt.length > 0 ? { prompt_logprobs: prompt } : {}),
  };
}

function addDelta(answer: Folded, { delta, logprobs = [] }: Extract<ChatPart, { type: 'delta' }>): void {
  answer.content += delta.content ?? '';
  answer.reasoning += delta.reasoning ?? '';
  answer.calls.push(...(delta.tool_calls ?? []));
  answer.logprobs.push(...logprobs);
}

function toChoice(
  { content, reasoning, calls, logprobs, tokenIds, last }: Folded,
  index: number,
): ChatCompletionResponseBody['choices'][number] {
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning === '' ? {} : { reasoning }),
      tool_calls: calls.length === 0 ? undefined : calls,
    },
    logprobs: logprobs.length === 0 ? null : { content: logprobs },
    finish_reason: last?.reason ?? 'stop',
    schema_violations: last?.done.violations,
    ...(tokenIds ? { token_ids: tokenIds } : {}),
  };
}
