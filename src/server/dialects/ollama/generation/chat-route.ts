// POST /api/chat

import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import { parseKeepAlive } from '../../../../models/keep-alive.ts';
import { parseOptions } from '../../../../models/options.ts';
import { parseRequestedModel } from '../../../../models/requested-model.ts';
import { sendNdjson } from '../../../http/ndjson.ts';
import { requestSignal } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { spaced } from '../../../http/spaced.ts';
import { parseAnswerFormat } from '../../../services/generation/answer-format.ts';
import type { Chat, ChatInput, ChatOutput } from '../../../services/generation/chat.ts';
import { ChatBody } from '../responses-schema.ts';
import { reportDropped, toStatistics } from './answer-report.ts';
import {
  ChatRequest,
  type ChatRequestMessage,
  type ChatRequestTool,
  type ChatResponse,
  type ChatResponseMessage,
  type ChatResponseToolCall,
} from './chat-schema.ts';
import { createLogprobBuffer, toGenerationOptions, toLogprobBody } from './generation-fields.ts';
import type { LogprobBody } from './generation-options-schema.ts';

export interface ChatRouteOptions {
  readonly chat: Chat;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the last object of a stream goes without a message, as the letter of the contract has it. */
  readonly strictSpec: boolean;
}

type Stamp = () => Pick<ChatResponse, 'model' | 'created_at'>;

const emptyMessage: ChatResponseMessage = { role: 'assistant', content: '' };

export function chatRoute({ chat, clock, logger, strictSpec }: ChatRouteOptions): Route {
  return {
    method: 'POST',
    path: '/api/chat',
    body: ChatRequest,
    summary: 'The next message of a conversation',
    response: ChatBody,
    streams: { type: 'application/x-ndjson', each: ChatBody },
    async handle(request, reply) {
      const body = request.body as ChatRequest;
      const stamp: Stamp = () => ({ model: body.model ?? '', created_at: formatTimestamp(clock.now()) });
      const outputs = chat(toInput(body), requestSignal());
      const first = (await outputs.next()).value as ChatOutput;
      if (first.type === 'loaded' || first.type === 'unloaded') {
        await outputs.return(undefined);
        return {
          ...stamp(),
          message: emptyMessage,
          done_reason: first.type === 'loaded' ? 'load' : 'unload',
          done: true,
        } satisfies ChatResponse;
      }
      if (first.type === 'started') reportDropped(reply, first);
      const responses = toResponses(outputs, stamp);
      if (body.stream === false) return foldResponses(responses);
      return sendNdjson(reply, spaced(strictSpec ? withoutLastMessage(responses) : responses, clock), logger);
    },
  };
}

async function* toResponses(outputs: AsyncIterable<ChatOutput>, stamp: Stamp): AsyncGenerator<ChatResponse> {
  const buffer = createLogprobBuffer(toLogprobBody);
  let calls = 0;
  const part = (message: Partial<ChatResponseMessage>): ChatResponse => ({
    ...stamp(),
    message: { ...emptyMessage, ...message },
    done: false,
    ...buffer.take(),
  });
  for await (const output of outputs) {
    if (output.type === 'logprobs') buffer.put(output.tokens);
    if (output.type === 'thinking') yield part({ thinking: output.text });
    if (output.type === 'text') yield part({ content: output.text });
    if (output.type === 'tool-calls') {
      yield part({ tool_calls: output.calls.map((call) => toResponseCall(call, calls++)) });
    }
    if (output.type === 'done') yield { ...part({}), done: true, ...toStatistics(output) };
  }
}

function toResponseCall(
  { id, name, arguments: values }: Extract<ChatOutput, { type: 'tool-calls' }>['calls'][number],
  index: number,
): ChatResponseToolCall {
  return { ...(id === undefined ? {} : { id }), function: { index, name, arguments: values } };
}

/** The same objects as one. */
async function foldResponses(responses: AsyncIterable<ChatResponse>): Promise<ChatResponse> {
  let content = '';
  let thinking = '';
  const calls: ChatResponseToolCall[] = [];
  const logprobs: LogprobBody[] = [];
  let last: ChatResponse | undefined;
  for await (const response of responses) {
    const { message = emptyMessage } = response;
    content += message.content;
    thinking += message.thinking ?? '';
    calls.push(...(message.tool_calls ?? []));
    logprobs.push(...(response.logprobs ?? []));
    last = response;
  }
  if (last === undefined) throw new HearthError('internal', 'an answer ended without its last object');
  return {
    ...last,
    message: {
      role: 'assistant',
      content,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
}

async function* withoutLastMessage(responses: AsyncIterable<ChatResponse>): AsyncGenerator<ChatResponse> {
  for await (const response of responses) {
    const { message, ...rest } = response;
    yield response.done ? rest : response;
  }
}

function toInput(body: ChatRequest): ChatInput {
  return {
    model: parseRequestedModel(body.model ?? ''),
    messages: (body.messages ?? []).map(toMessage),
    tools: (body.tools ?? []).map(toTool),
    format: parseAnswerFormat(body.format),
    options: parseOptions(body.options ?? {}),
    ...toGenerationOptions(body),
    ...(body.keep_alive === undefined ? {} : { keepAlive: parseKeepAlive(body.keep_alive) }),
  };
}

function toMessage(message: ChatRequestMessage): ChatInput['messages'][number] {
  const { role = '', content = '', images = [], thinking, tool_calls: calls, tool_name, tool_call_id } = message;
  return {
    role: role.toLowerCase(),
    content,
    encodedImages: images,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls === undefined ? {} : { toolCalls: calls.map(toToolCall) }),
    ...(tool_name === undefined ? {} : { toolName: tool_name }),
    ...(tool_call_id === undefined ? {} : { toolCallId: tool_call_id }),
  };
}

function toToolCall({ id, function: called }: NonNullable<ChatRequestMessage['tool_calls']>[number]) {
  return { ...(id === undefined ? {} : { id }), name: called.name, arguments: readArguments(called.arguments) };
}

// Agents that speak several dialects send the arguments of the OpenAI one: an object as JSON text.
function readArguments(given: unknown): Record<string, unknown> {
  const value = typeof given === 'string' ? parseOrUndefined(given) : (given ?? {});
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HearthError('bad_request', 'the arguments of a tool call must be an object');
  return value as Record<string, unknown>;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toTool(tool: ChatRequestTool): ChatInput['tools'][number] {
  const { name, description = '', parameters = { type: 'object', properties: {} } } = tool.function;
  const wire = { type: tool.type ?? 'function', function: { name, description, parameters } };
  return { name, description, parameters, wire };
}
