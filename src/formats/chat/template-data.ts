// The data of Go templates: the fields that published templates use.

import { toGoJson } from '../go-template/functions/json-text.ts';
import { type MapValue, withText } from '../go-template/values/values.ts';
import type { Message, MessageToolCall } from './message.ts';

export function toMessageData(message: Message): MapValue {
  const { role, content, images = [], toolCalls = [], thinking = '', toolName = '', toolCallId = '' } = message;
  return {
    Role: role,
    Content: content,
    Thinking: thinking,
    Images: images.map((_, index) => BigInt(index)),
    ToolCalls: toolCalls.map(toCallData),
    ToolName: toolName,
    ToolCallID: toolCallId,
  };
}

/** Arguments print as JSON with sorted keys, as in Ollama. */
export function toCallData(call: MessageToolCall, index: number): MapValue {
  const values = call.arguments as MapValue;
  const wire = { name: call.name, arguments: values };
  const id = call.id ?? '';
  return printedAs(
    {
      ID: id,
      Function: printedAs(
        { Index: BigInt(index), Name: call.name, Arguments: withText(values, { text: toGoJson }) },
        wire,
      ),
    },
    { ...(id === '' ? {} : { id }), function: wire },
  );
}

/** Fields for templates that access them, and a JSON text for those that print the entire value. */
function printedAs(fields: MapValue, wire: MapValue): MapValue {
  const text = (): string => toGoJson(wire);
  return withText(fields, { text, json: text });
}
