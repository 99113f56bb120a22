// Calls in the text between their tags, in the ways that several families write them.

import type { Tool } from '../message.ts';
import { isShallow, parseObject } from '../tool-calls/read-call.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';
import { readArgument } from './typed-value.ts';

/** `{"name": "f", "arguments": {…}}`. Undefined if the text is anything else. */
export function readObjectCall(text: string): readonly ToolCall[] | undefined {
  const trimmed = text.trim();
  const { name, arguments: args = {} } = (isShallow(trimmed) && parseObject(trimmed)) || {};
  if (typeof name !== 'string' || name === '') return undefined;
  if (args !== null && (typeof args !== 'object' || Array.isArray(args))) return undefined;
  return [{ name, arguments: (args ?? {}) as ToolCall['arguments'] }];
}

/** The texts before and after the first separator; without one, nothing is after it. */
export function splitAt(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}

const functionOpening = /<function=([^>]+)>/;
const parameterOpening = /<parameter=([^>]+)>/g;

/** `<function=f><parameter=x>…</parameter></function>`. Undefined if the text is anything else. */
export function readElementCall(text: string, tools: readonly Tool[]): readonly ToolCall[] | undefined {
  const opening = functionOpening.exec(text);
  const name = opening?.[1];
  if (opening === null || name === undefined) return undefined;
  const parameters = tools.find((tool) => tool.name === name)?.parameters;
  const args: [string, unknown][] = [];
  parameterOpening.lastIndex = opening.index + opening[0].length;
  for (let match = parameterOpening.exec(text); match !== null; match = parameterOpening.exec(text)) {
    const end = text.indexOf('</parameter>', parameterOpening.lastIndex);
    if (end === -1) return undefined;
    const key = match[1] as string;
    const value = text.slice(parameterOpening.lastIndex, end).replace(/^\n/, '').replace(/\n$/, '');
    args.push([key, readArgument(value, parameters, key)]);
    parameterOpening.lastIndex = end;
  }
  return [{ name, arguments: Object.fromEntries(args) }];
}
