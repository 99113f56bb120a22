// Converts a chat request of the Ollama dialect to the input of the service.

import { HearthError } from '../../../../base/errors.ts';
import { parseAnswerFormat } from '../../../../inference/model/answer-format.ts';
import type { ChatInput } from '../../../services/generation/chat.ts';
import { createReadArguments, type ReadArguments } from '../../shared/call-arguments.ts';
import { toModelInput } from '../../shared/model-input.ts';
import { toTemplateOptions } from '../../shared/template-variables.ts';
import type { ChatRequestBody, ChatRequestMessage, ChatRequestTool } from './chat-schema.ts';
import { toGenerationOptions } from './generation-fields.ts';

export function toChatInput(body: ChatRequestBody): ChatInput {
  const readArguments = createReadArguments();
  const generation = toGenerationOptions(body);
  return {
    ...toModelInput(body),
    messages: (body.messages ?? []).map((message) => toMessage(message, readArguments)),
    tools: (body.tools ?? []).flatMap(toTool),
    format: parseAnswerFormat(body.format),
    ...generation,
    ...toTemplateOptions(body.chat_template_kwargs, generation.think),
  };
}

function toMessage(message: ChatRequestMessage, readArguments: ReadArguments): ChatInput['messages'][number] {
  const { role = '', content = '', images = [], thinking, tool_calls: calls, tool_name, tool_call_id } = message;
  return {
    role: role.toLowerCase(),
    content,
    encodedImages: images,
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
