// Converts the output of the chat service to the events of a response.

import type { Clock } from '../../../../../base/time/clock.ts';
import type { AnswerDone, AnswerEvent } from '../../../../../inference/model/answer-event.ts';
import { createLogprobBuffer, type ReportedToken, toTokenBody } from '../../../shared/logprob-bodies.ts';
import { customInputKey, type ToolTable } from '../request/tool-table.ts';
import type { UnnumberedEvent } from './events-schema.ts';
import { toSeconds } from './initial-response.ts';
import { type Call, createItemWriter, type ItemWriter } from './item-writer.ts';
import type { OutputLogprob, ResponseBody, ResponseUsage } from './response-schema.ts';

type StartedOutput = Extract<AnswerEvent, { type: 'started' }>;

export interface ResponseShape {
  /** Before anything is generated. */
  readonly initial: ResponseBody;
  readonly tools: ToolTable;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** Called when the prompt is accepted. */
  readonly onStarted: (started: StartedOutput) => void;
}

/** Until the prompt is accepted, a response that is not generated in the background has no events. */
export async function* toResponseEvents(
  outputs: AsyncIterable<AnswerEvent>,
  { initial, tools, clock, newId, onStarted }: ResponseShape,
): AsyncGenerator<UnnumberedEvent> {
  const writer = createItemWriter({ summarize: initial.reasoning.summary !== null, newId });
  const logprobs = createLogprobBuffer(toLogprob);
  const running: ResponseBody = { ...initial, status: 'in_progress' };
  if (initial.background) {
    yield { type: 'response.created', response: initial };
    yield { type: 'response.queued', response: initial };
  }
  for await (const output of outputs) {
    switch (output.type) {
      case 'started':
        onStarted(output);
        yield* startEvents(running);
        break;
      case 'tokens':
        logprobs.put(output);
        break;
      case 'thinking':
        yield* writer.thinking(output.text);
        break;
      case 'text':
        yield* writer.text(output.text, logprobs.take().logprobs ?? []);
        break;
      case 'tool-calls':
        for (const call of output.calls) yield* writer.call(toCall(call, tools));
        break;
      case 'done':
        yield* endEvents(writer, output, { running, now: clock.now() });
    }
  }
}

function* startEvents(running: ResponseBody): Generator<UnnumberedEvent> {
  if (!running.background) yield { type: 'response.created', response: running };
  yield { type: 'response.in_progress', response: running };
}

interface Ending {
  readonly running: ResponseBody;
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

function* endEvents(writer: ItemWriter, done: AnswerDone, { running, now }: Ending): Generator<UnnumberedEvent> {
  const isIncomplete = done.reason === 'length';
  // Clients expect an item.
  if (writer.isEmpty()) yield* writer.text('', []);
  yield* writer.close(isIncomplete ? 'incomplete' : 'completed');
  const response: ResponseBody = { ...running, output: [...writer.items], usage: toUsage(done) };
  yield isIncomplete
    ? {
        type: 'response.incomplete',
        response: { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      }
    : { type: 'response.completed', response: { ...response, status: 'completed', completed_at: toSeconds(now) } };
}

type ToolCall = Extract<AnswerEvent, { type: 'tool-calls' }>['calls'][number];

function toCall({ id = '', name, arguments: values }: ToolCall, tools: ToolTable): Call {
  const tool = tools.find(name);
  const text = tool.type === 'custom' ? values[customInputKey] : undefined;
  return { callId: id, tool, input: typeof text === 'string' ? text : JSON.stringify(values) };
}

function toUsage({ promptTokens, cachedTokens, generatedTokens, thinkingTokens }: AnswerDone): ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: generatedTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: promptTokens + generatedTokens,
  };
}

function toLogprob({ top, ...token }: ReportedToken): OutputLogprob {
  return { ...toTokenBody(token), top_logprobs: top.map(toTokenBody) };
}
