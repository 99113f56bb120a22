// Calls in the text between their tags, in the ways that several families write them.

import { isShallow, parseObject } from '../tool-calls/read-call.ts';
import type { ToolCall } from '../tool-calls/tool-call.ts';

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
