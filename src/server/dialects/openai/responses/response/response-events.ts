// Converts the output of the chat service to the events of a response.

import type { Step } from '../../../../../base/pipe.ts';
import type { Clock } from '../../../../../base/time/clock.ts';
import type { AnswerDone, AnswerEvent, AnswerStarted } from '../../../../../inference/model/answer-event.ts';
import { searchServer } from '../../../../services/tools/collection-search.ts';
import type { ToolChatEvent } from '../../../../services/tools/tool-chat.ts';
import { createLogprobBuffer } from '../../../shared/logprob-bodies.ts';
import { toOutputLogprob } from '../../generation-fields.ts';
import { customInputKey, type ToolTable } from '../request/tool-table.ts';
import type { UnnumberedEvent } from './events-schema.ts';
import { toSeconds } from './initial-response.ts';
import { type Call, ItemWriter } from './item-writer.ts';
import type { ResponseBody, ResponseUsage } from './response-schema.ts';

export interface ResponseShape {
  /** Before anything is generated. */
  readonly initial: ResponseBody;
  readonly tools: ToolTable;
  /** Servers whose tools the conversation has listed before. */
  readonly knownServers: ReadonlySet<unknown>;
  /** Whether searches show the passages that they have found. */
  readonly showsResults: boolean;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** Called when the prompt is accepted. */
  readonly onStarted: (started: AnswerStarted) => void;
}

type Pass = (event: UnnumberedEvent) => void;

export function createToResponseEvents(shape: ResponseShape): Step<ToolChatEvent, UnnumberedEvent> {
  const { initial, tools, newId, onStarted } = shape;
  const summarize = initial.reasoning.summary !== null;
  const writer = new ItemWriter({ summarize, showsResults: shape.showsResults, newId });
  const logprobs = createLogprobBuffer(toOutputLogprob);
  const response: ResponseBody = { ...initial, status: 'in_progress' };
  return {
    push(output, pass) {
      switch (output.type) {
        case 'started':
          onStarted(output);
          if (!initial.background) pass({ type: 'response.created', response });
          pass({ type: 'response.in_progress', response });
          break;
        case 'tokens':
          logprobs.put(output);
          break;
        case 'thinking':
          writer.thinking(output.text, pass);
          break;
        case 'text':
          writer.text(output.text, logprobs.take().logprobs ?? [], pass);
          break;
        case 'tool-calls':
          for (const call of output.calls) writer.call(toCall(call, tools), pass);
          break;
        case 'tools-listed':
          if (output.server !== searchServer && !shape.knownServers.has(output.server)) writer.toolList(output, pass);
          break;
        case 'server-call':
          writer.serverCall(output.call, pass);
          break;
        case 'server-result':
          writer.serverResult(output.result, pass);
          break;
        case 'approval':
          writer.approval(output.call, pass);
          break;
        case 'done':
          closeItems(writer, output, pass);
          pass(
            toLastEvent(
              output,
              {
                ...response,
                output: [...writer.items],
                usage: toResponseUsage(output),
                schema_violations: output.violations,
              },
              shape.clock,
            ),
          );
      }
    },
  };
}

function closeItems(writer: ItemWriter, { reason }: AnswerDone, pass: Pass): void {
  // Clients expect an item.
  if (writer.isEmpty) writer.text('', [], pass);
  writer.close(reason === 'length' ? 'incomplete' : 'completed', 'final_answer', pass);
}

function toLastEvent({ reason }: AnswerDone, response: ResponseBody, clock: Clock): UnnumberedEvent {
  if (reason === 'length') {
    const incomplete_details = { reason: 'max_output_tokens' } as const;
    return { type: 'response.incomplete', response: { ...response, status: 'incomplete', incomplete_details } };
  }
  const completed_at = toSeconds(clock.now());
  return { type: 'response.completed', response: { ...response, status: 'completed', completed_at } };
}

type ToolCall = Extract<AnswerEvent, { type: 'tool-calls' }>['calls'][number];

function toCall({ id = '', name, arguments: values }: ToolCall, tools: ToolTable): Call {
  const tool = tools.find(name);
  const text = tool.type === 'custom' ? values[customInputKey] : undefined;
  return { callId: id, tool, input: typeof text === 'string' ? text : JSON.stringify(values) };
}

export function toResponseUsage({
  promptTokens,
  cachedTokens,
  generatedTokens,
  thinkingTokens,
}: AnswerDone): ResponseUsage {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: generatedTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: promptTokens + generatedTokens,
  };
}
