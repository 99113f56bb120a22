// A conversation in the form that Jinja templates expect: that of Hugging Face's tokenizers.

import type { Message, Tool } from './message.ts';
import type { Conversation } from './render-prompt.ts';

export function toJinjaData(
  { messages, tools, think }: Conversation,
  { bosToken, eosToken }: { readonly bosToken: string; readonly eosToken: string },
): Record<string, unknown> {
  return {
    messages: messages.map(toMessage),
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    ...(think === undefined ? {} : { enable_thinking: think !== false }),
    ...(typeof think === 'string' ? { reasoning_effort: think } : {}),
    bos_token: bosToken,
    eos_token: eosToken,
    add_generation_prompt: messages.at(-1)?.role !== 'assistant',
  };
}

function toMessage(message: Message): Record<string, unknown> {
  const { role, content, toolCalls, thinking, toolName, toolCallId } = message;
  return {
    role,
    content,
    ...(thinking ? { reasoning_content: thinking } : {}),
    ...(toolName ? { name: toolName } : {}),
    ...(toolCallId ? { tool_call_id: toolCallId } : {}),
    ...(toolCalls && toolCalls.length > 0
      ? {
          tool_calls: toolCalls.map(({ id, name, arguments: values }) => ({
            ...(id ? { id } : {}),
            type: 'function',
            function: { name, arguments: values },
          })),
        }
      : {}),
  };
}

function toTool({ name, description, parameters = { type: 'object', properties: {} } }: Tool): Record<string, unknown> {
  return { type: 'function', function: { name, description, parameters } };
}
