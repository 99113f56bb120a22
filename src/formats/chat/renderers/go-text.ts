// Values in prompts as Go writes them: JSON, with or without spaces, and the texts of arguments.

import { floatToText } from '../../../base/text/go-float.ts';
import { toGoJson } from '../../go-template/functions/json-text.ts';
import { printValue } from '../../go-template/printing/format-value.ts';
import { createMeter, defaultLimits } from '../../go-template/values/limits.ts';
import type { Value } from '../../go-template/values/values.ts';
import type { MessageToolCall, Tool } from '../message.ts';
import { toToolJson } from '../tool-schema.ts';

export function spacedToolJson(tool: Tool): string {
  return addSpaces(toToolJson(tool));
}

/** Arguments keep their order, objects in them have sorted keys. */
export function spacedArgumentsJson(args: MessageToolCall['arguments']): string {
  return addSpaces(argumentsJson(args));
}

export function argumentsJson(args: MessageToolCall['arguments']): string {
  const members = Object.entries(args).map(([key, value]) => `${toGoJson(key)}:${toGoJson(value as Value)}`);
  return `{${members.join(',')}}`;
}

/** An argument outside of JSON: a text as it is, a list or an object as JSON. */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return (value < 0 ? '-' : '') + floatToText(Math.abs(value), 'g');
  return toGoJson(value as Value);
}

/** Adds a space after each colon and comma that is not in a text. */
export function addSpaces(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (match) => (match.length === 1 ? `${match} ` : match));
}

/** JSON in which HTML characters are as they are. */
export function toPlainJson(value: Value): string {
  return toGoJson(value).replace(/\\(?:u003c|u003e|u0026|.)/gs, (code) => htmlCharacters.get(code) ?? code);
}

const htmlCharacters: ReadonlyMap<string, string> = new Map([
  ['\\u003c', '<'],
  ['\\u003e', '>'],
  ['\\u0026', '&'],
]);

/** Like `%v` of Go. */
export function printGoValue(value: Value): string {
  return printValue(value, createMeter(defaultLimits));
}
