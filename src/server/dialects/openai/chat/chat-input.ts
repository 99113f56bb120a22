// Converts a chat request of the OpenAI dialect to the input of the service.

import { HearthError } from '../../../../base/errors.ts';
import type { ChatInput } from '../../../services/generation/measure-answer.ts';
import {
  createReadArguments,
  type ReadArguments,
  readPrediction,
  toTemplateOptions,
} from '../../shared/model-input.ts';
import { readFormatFields } from '../answer-format.ts';
import { readEffort } from '../effort.ts';
import { readTruncation, toCommonInput } from '../generation-fields.ts';
import type {
  ChatCompletionRequestBody,
  ChatCompletionRequestMessage,
  ChatCompletionRequestTool,
} from './chat-schema.ts';
import { readContent } from './message-content.ts';

type Message = ChatInput['messages'][number];

/** `truncates`: whether conversations that are too long are shortened if the request does not say. */
export function toOpenAiChatInput(body: ChatCompletionRequestBody, truncates = false): ChatInput {
  const { messages = [], tools = [], logprobs, top_logprobs } = body;
  if (messages.length === 0) throw new HearthError('bad_request', "[] is too short - 'messages'");
  const think = readEffort(body.reasoning_effort ?? body.reasoning?.effort);
  return {
    ...toCommonInput(body, body.max_completion_tokens ?? body.max_tokens),
    truncate: readTruncation(body.truncation) ?? truncates,
    messages: toMessages(messages),
    tools: tools.flatMap(toTool),
    ...toToolChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls === false ? false : undefined,
    prediction: readPrediction(body.prediction),
    format: readFormatFields(body),
    ...(logprobs === true || (top_logprobs ?? 0) > 0 ? { topLogprobs: top_logprobs ?? 0 } : {}),
    promptLogprobs: readPromptLogprobs(body),
    ...toTemplateOptions(body.chat_template_kwargs, think),
  };
}

/** As in vLLM, not in a stream. */
function readPromptLogprobs({
  stream,
  prompt_logprobs: top,
}: Pick<ChatCompletionRequestBody, 'stream' | 'prompt_logprobs'>): ChatInput['promptLogprobs'] {
  if (top === undefined) return undefined;
  if (stream === true) throw new HearthError('bad_request', 'prompt_logprobs is not available in a stream');
  return { top, from: 0 };
}

function toMessages(messages: readonly ChatCompletionRequestMessage[]): Message[] {
  // A tool message has the id of its call; the name of the tool is in the call.
  const called = new Map<string, string>();
  const readArguments = createReadArguments();
  return messages.map((message) => {
    for (const {
      id,
      function: { name },
    } of message.tool_calls ?? [])
      if (id !== undefined) called.set(id, name);
    return toMessage(message, called, readArguments);
  });
}

function toMessage(
  message: ChatCompletionRequestMessage,
  called: ReadonlyMap<string, string>,
  readArguments: ReadArguments,
): Message {
  const { tool_calls: calls, tool_call_id: callId = '' } = message;
  const role = roleOf(message.role);
  const { text, encodedImages } = readContent(message.content, role === 'assistant');
  const thinking = message.reasoning ?? message.reasoning_content;
  const toolName = message.name ?? called.get(callId);
  return {
    role,
    content: text,
    encodedImages,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls === undefined ? {} : { toolCalls: calls.map(toCall(readArguments)) }),
    ...(role !== 'tool' || toolName === undefined ? {} : { toolName }),
    ...(callId === '' ? {} : { toolCallId: callId }),
  };
}

function roleOf(role: string): string {
  const name = role.toLowerCase();
  if (name === 'developer') return 'system';
  return name === 'function' ? 'tool' : name;
}

// OpenAI specifies a JSON string. Agents that support several APIs send an object; calls without arguments may have "".
const toCall =
  (readArguments: ReadArguments) =>
  ({ id, function: called }: NonNullable<ChatCompletionRequestMessage['tool_calls']>[number]) => {
    const given = called.arguments ?? '{}';
    const values = readArguments(typeof given === 'string' && given.trim() === '' ? {} : given);
    if (values === undefined) throw new HearthError('bad_request', 'invalid tool call arguments');
    return { ...(id === undefined ? {} : { id }), name: called.name, arguments: values };
  };

// A tool without a function is of a kind that only other servers have.
function toTool({ function: offered }: ChatCompletionRequestTool): ChatInput['tools'] {
  if (offered === undefined) return [];
  const { name, description = '', parameters } = offered;
  return [{ name, description, parameters }];
}

function toToolChoice(choice: unknown): Pick<ChatInput, 'toolChoice'> {
  if (choice === undefined) return {};
  if (choice === 'none' || choice === 'auto' || choice === 'required') return { toolChoice: choice };
  const name = (choice as { function?: { name?: unknown } }).function?.name;
  if (typeof name === 'string') return { toolChoice: { name } };
  throw new HearthError('bad_request', 'tool_choice must be "none", "auto", "required" or name a function');
}
