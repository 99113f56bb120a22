// Messages and tools as OpenAI's API has them.

import type { Message, Tool } from '../../model/conversation.ts';
import type { RemoteKind } from '../endpoint.ts';

/** Calls without an id get one, and so do the results that follow them. */
export function toOpenAiMessages(messages: readonly Message[], kind: RemoteKind): object[] {
  let calls = 0;
  /** Ids of calls without a result, in the order of the calls. */
  let open: { readonly id: string; readonly name: string }[] = [];

  const takeId = ({ toolCallId, toolName }: Message): string => {
    const known = open.findIndex(({ id, name }) => (toolCallId === undefined ? name === toolName : id === toolCallId));
    const [found] = open.splice(Math.max(known, 0), 1);
    return toolCallId ?? found?.id ?? `call_${calls++}`;
  };

  return messages.map((message) => {
    const { role, content, images = [], toolCalls = [], thinking = '' } = message;
    if (role === 'tool') return { role, content, tool_call_id: takeId(message) };
    const made = toolCalls.map((call) => ({ ...call, id: call.id ?? `call_${calls++}` }));
    if (role === 'assistant') open = made.map(({ id, name }) => ({ id, name }));
    return {
      role,
      content: images.length === 0 ? content : [...textPart(content), ...images.map(imagePart)],
      reasoning_content: thinking === '' || kind === 'openai' ? undefined : thinking,
      tool_calls: made.length === 0 ? undefined : made.map(toCall),
    };
  });
}

function textPart(text: string): object[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function imagePart(image: Buffer): object {
  const type = image[0] === 0x89 ? 'png' : 'jpeg';
  return { type: 'image_url', image_url: { url: `data:image/${type};base64,${image.toString('base64')}` } };
}

function toCall(call: { readonly id: string; readonly name: string; readonly arguments: object }): object {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } };
}

/** vLLM holds the arguments of a call to their schema only if it is strict. */
export function toOpenAiTools(tools: readonly Tool[], kind: RemoteKind): object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name,
      description,
      parameters,
      strict: kind === 'vllm' && parameters !== undefined ? true : undefined,
    },
  }));
}
