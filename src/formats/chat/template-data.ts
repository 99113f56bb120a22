// The data of Go templates: the fields that published templates use. Tools and calls print as JSON in the form in which
// they were sent.

import { toGoJson } from '../go-template/functions/json-text.ts';
import { type MapValue, type Value, withText } from '../go-template/values.ts';
import type { Message, MessageToolCall, Tool } from './message.ts';

type Fields = MapValue;

export function toMessageData(message: Message): Fields {
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

export function toCallData(call: MessageToolCall, index: number): Fields {
  const wire = { name: call.name, arguments: call.arguments };
  const id = call.id ?? '';
  return printedAs(
    {
      ID: id,
      Function: printedAs(
        { Index: BigInt(index), Name: call.name, Arguments: printedAs(call.arguments as Fields, call.arguments) },
        wire,
      ),
    },
    { ...(id === '' ? {} : { id }), function: wire },
  );
}

export function toToolData({ name, description, parameters, wire }: Tool): Fields {
  const wireFunction = isObject(wire) ? wire['function'] : undefined;
  return printedAs(
    {
      Type: 'function',
      Function: printedAs(
        { Name: name, Description: description, Parameters: printedAs(toParameterData(parameters), parameters) },
        wireFunction,
      ),
    },
    wire,
  );
}

export function toToolsData(tools: readonly Tool[]): readonly Fields[] {
  return withText(tools.map(toToolData), { text: toGoJson });
}

/** Fields for templates that access them, and a JSON text for those that print the entire value. */
function printedAs(fields: Fields, wire: unknown): Fields {
  const text = (): string => wireJson(wire);
  return withText(fields, { text, json: text });
}

// Keys in the caller's order and with HTML characters escaped, as in Ollama.
function wireJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function toParameterData(parameters: unknown): Fields {
  if (!isObject(parameters)) return { Type: 'object', Required: [], Properties: {} };
  const { type, required, properties } = parameters as { type?: Value; required?: Value; properties?: Value };
  return {
    Type: type ?? 'object',
    Required: Array.isArray(required) ? required : [],
    Properties: isObject(properties)
      ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toPropertyData(schema)]))
      : {},
  };
}

function toPropertyData(schema: Value): Value {
  if (!isObject(schema)) return schema;
  const {
    type,
    description,
    enum: values,
    items,
    anyOf,
  } = schema as Record<'type' | 'description' | 'enum' | 'items' | 'anyOf', Value>;
  return printedAs(
    { Type: type ?? '', Description: description ?? '', Enum: values ?? [], Items: items, AnyOf: anyOf },
    schema,
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
