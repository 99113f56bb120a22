// POST /api/chat

import { HearthError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';
import { onFirst, pipe, type Step } from '../../../../base/pipe.ts';
import type { Clock } from '../../../../base/time/clock.ts';
import { formatTimestamp } from '../../../../base/time/timestamp.ts';
import type { AnswerStarted } from '../../../../inference/model/answer-event.ts';
import { parseAnswerFormat } from '../../../../inference/model/answer-format.ts';
import type { MessageToolCall } from '../../../../inference/model/conversation.ts';
import { checkEncodedAudio } from '../../../../inference/model/read-media.ts';
import type { ResumableAnswers } from '../../../http/resumable/resumable-answers.ts';
import { sendFollowed } from '../../../http/resumable/send-followed.ts';
import type { Route } from '../../../http/route.ts';
import { Spacing, sendStream } from '../../../http/streaming/send-stream.ts';
import type { CitedPassage } from '../../../services/documents/passage-search.ts';
import type { LoadModel } from '../../../services/generation/load-model.ts';
import type { ChatInput } from '../../../services/generation/measure-answer.ts';
import type { RenderPrompt } from '../../../services/generation/render-prompt.ts';
import type { ToolChat, ToolChatEvent } from '../../../services/tools/tool-chat.ts';
import { createLogprobBuffer, toLogprobBody } from '../../shared/logprob-bodies.ts';
import type { LogprobBody } from '../../shared/logprobs-schema.ts';
import {
  createReadArguments,
  type ReadArguments,
  toModelInput,
  toolsWithoutFunction,
  toTemplateOptions,
} from '../../shared/model-input.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { toPassageBody } from '../../shared/passage-body.ts';
import { reportStart, toDebugInfo } from '../../shared/start-report.ts';
import { isSettled, readToolRequest, toMcpCall, toMcpMessages } from './chat-mcp.ts';
import {
  type ChatMcpCall,
  type ChatPassage,
  ChatRequestBody,
  type ChatRequestMessage,
  type ChatRequestTool,
  ChatResponseBody,
  type ChatResponseMessage,
  type ChatResponseToolCall,
} from './chat-schema.ts';
import { toGenerationOptions, toProgressBody, toRemoteFields, toStatistics } from './generation-fields.ts';

interface ChatRouteOptions {
  readonly toolChat: ToolChat;
  readonly loadModel: LoadModel;
  readonly renderPrompt: RenderPrompt;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last object of a stream has no message, as in Ollama's API document. Ollama itself sends an empty one. */
  readonly strictSpec: boolean;
  /** Absent: no answer can be resumed. */
  readonly resumable?: ResumableAnswers | undefined;
}

/** `start`: absent if nothing is generated. */
type Stamp = (start?: AnswerStarted) => Pick<ChatResponseBody, 'model' | 'created_at'>;

const emptyMessage: ChatResponseMessage = { role: 'assistant', content: '' };

export function chatRoute(options: ChatRouteOptions): Route {
  const { toolChat, loadModel, renderPrompt, clock, logger, strictSpec, resumable } = options;
  return {
    dialect: ollamaDialect,
    method: 'POST',
    scope: 'infer',
    path: '/api/chat',
    summary: 'Generate the next message of a chat',
    metered: true,
    body: ChatRequestBody,
    response: ChatResponseBody,
    streams: ChatResponseBody,
    async handle(request, reply) {
      const body = request.body as ChatRequestBody;
      const stamp: Stamp = (start) => ({
        model: body.model ?? '',
        ...toRemoteFields(start),
        created_at: formatTimestamp(clock.now()),
      });
      request.report.ignore(toolsWithoutFunction(body.tools));
      const input = { ...toChatInput(body), report: request.report };
      const { signal } = request.scope;
      if (input.messages.length === 0) {
        const outcome = await loadModel({ ...input, task: 'chat' }, signal);
        const done_reason = outcome === 'loaded' ? 'load' : 'unload';
        return { ...stamp(), message: emptyMessage, done_reason, done: true };
      }
      if (body._debug_render_only === true)
        return {
          ...stamp(),
          message: emptyMessage,
          done: false,
          _debug_info: toDebugInfo(await renderPrompt.ofChat(input, signal)),
        };
      const events = toolChat(input, readToolRequest(request, body), signal);
      const toResponses = createToResponses(stamp, strictSpec && body.stream !== false);
      if (resumable && body.resumable === true && body.stream !== false) {
        const answer = resumable.start(request, pipe(events, toResponses));
        return sendFollowed(reply, answer, { dialect: ollamaDialect, logger });
      }
      const responses = pipe(onFirst(events, reportStart(reply)), toResponses);
      if (body.stream === false) return foldResponses(responses);
      return sendStream(reply, responses, { dialect: ollamaDialect, logger, spacing: new Spacing(clock) });
    },
  };
}

/** `leavesOutLast`: the last object has no message. */
function createToResponses(stamp: Stamp, leavesOutLast: boolean): Step<ToolChatEvent, ChatResponseBody> {
  const buffer = createLogprobBuffer(toLogprobBody);
  let start: AnswerStarted | undefined;
  let calls = 0;
  const part = (message: Partial<ChatResponseMessage>): ChatResponseBody => ({
    ...stamp(start),
    message: { ...emptyMessage, ...message },
    done: false,
    ...buffer.take(),
  });
  return {
    push(event, pass) {
      switch (event.type) {
        case 'started':
          start = event;
          return;
        case 'progress':
          return pass({ ...part({}), prompt_progress: toProgressBody(event) });
        case 'tokens':
          return buffer.put(event);
        case 'thinking':
          return pass(part({ thinking: event.text }));
        case 'text':
          return pass(part({ content: event.text }));
        case 'tool-calls':
          return pass(part({ tool_calls: event.calls.map((call) => toResponseCall(call, calls++)) }));
        case 'tools-listed':
          if (event.error !== undefined)
            pass({ ...part({}), mcp_errors: [{ server: event.server, error: event.error }] });
          return;
        case 'passages':
          return pass({ ...part({}), passages: event.passages.map(toPassage) });
        case 'server-call':
          return pass({ ...part({}), mcp_calls: [toMcpCall(event.call)] });
        case 'server-result':
          return pass({ ...part({}), mcp_calls: [toMcpCall(event.call, event.result)] });
        case 'approval':
          return pass({ ...part({}), mcp_calls: [{ ...toMcpCall(event.call), needs_approval: true }] });
        case 'done': {
          const last = { ...part({}), done: true, ...toStatistics(event, start) };
          const { message: _, ...withoutMessage } = last;
          return pass(leavesOutLast ? withoutMessage : last);
        }
      }
    },
  };
}

function toResponseCall({ id, name, arguments: values }: MessageToolCall, index: number): ChatResponseToolCall {
  return { id, function: { index, name, arguments: values } };
}

function toPassage(passage: CitedPassage): ChatPassage {
  return { number: passage.number, ...toPassageBody(passage) };
}

/** All objects as one. */
async function foldResponses(responses: AsyncIterable<ChatResponseBody>): Promise<ChatResponseBody> {
  let content = '';
  let thinking = '';
  const calls: ChatResponseToolCall[] = [];
  const logprobs: LogprobBody[] = [];
  const mcpCalls: ChatMcpCall[] = [];
  const mcpErrors: NonNullable<ChatResponseBody['mcp_errors']>[number][] = [];
  const passages: ChatPassage[] = [];
  let last: ChatResponseBody | undefined;
  for await (const response of responses) {
    const { message = emptyMessage } = response;
    content += message.content;
    thinking += message.thinking ?? '';
    calls.push(...(message.tool_calls ?? []));
    logprobs.push(...(response.logprobs ?? []));
    mcpCalls.push(...(response.mcp_calls ?? []).filter(isSettled));
    mcpErrors.push(...(response.mcp_errors ?? []));
    passages.push(...(response.passages ?? []));
    last = response;
  }
  if (last === undefined) throw new HearthError('internal', 'a response ended without its last object');
  return {
    ...last,
    message: {
      role: 'assistant',
      content,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(mcpCalls.length === 0 ? {} : { mcp_calls: mcpCalls }),
    ...(mcpErrors.length === 0 ? {} : { mcp_errors: mcpErrors }),
    ...(passages.length === 0 ? {} : { passages }),
  };
}

// Converts a chat request of the Ollama dialect to the input of the service.
export function toChatInput(body: ChatRequestBody): ChatInput {
  const readArguments = createReadArguments();
  const generation = toGenerationOptions(body);
  const { messages = [] } = body;
  return {
    ...toModelInput(body),
    messages: messages.flatMap((message, index) =>
      toMcpMessages(message, toMessage(message, readArguments), index === messages.length - 1),
    ),
    tools: (body.tools ?? []).flatMap(toTool),
    format: parseAnswerFormat(body.format),
    ...generation,
    ...toTemplateOptions(body.chat_template_kwargs, generation.think),
  };
}

function toMessage(message: ChatRequestMessage, readArguments: ReadArguments): ChatInput['messages'][number] {
  const { role = '', content = '', images = [], audio = [], thinking, tool_calls: calls } = message;
  const { tool_name, tool_call_id } = message;
  return {
    role: role.toLowerCase(),
    content,
    encodedImages: [...images, ...audio.map(checkEncodedAudio)],
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls === undefined ? {} : { toolCalls: calls.map(toToolCall(readArguments)) }),
    ...(tool_name === undefined ? {} : { toolName: tool_name }),
    ...(tool_call_id === undefined ? {} : { toolCallId: tool_call_id }),
  };
}

// Agents that support several APIs send the arguments as OpenAI does: an object as a JSON string.
const toToolCall =
  (readArguments: ReadArguments) =>
  ({ id, function: called }: NonNullable<ChatRequestMessage['tool_calls']>[number]) => {
    const values = readArguments(called.arguments ?? {});
    if (values === undefined) throw new HearthError('bad_request', 'the arguments of a tool call must be an object');
    return { ...(id === undefined ? {} : { id }), name: called.name, arguments: values };
  };

// A tool without a function is of a kind that only other servers have.
function toTool({ type, function: offered }: ChatRequestTool): ChatInput['tools'] {
  if (offered === undefined) return [];
  const { name, description = '', parameters } = offered;
  const given = { ...(parameters === undefined ? {} : { parameters }), ...(type === undefined ? {} : { type }) };
  return [{ name, description, ...given }];
}
