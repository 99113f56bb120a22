// Recognizes calls in JSON: objects with the name of a known tool and an object of arguments, in the common shapes.

import { isObject, parseJson } from '../../../base/json-values.ts';
import { createBalanceScanner, jsonSyntax } from './balance-scanner.ts';
import type { CallTexts } from './call-syntax.ts';
import type { ToolCall } from './tool-call.ts';

export interface CallShape {
  readonly names: ReadonlySet<string>;
  readonly nameKeys: readonly string[];
  readonly argumentsKeys: readonly string[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Keys that may accompany a name without arguments. */
const neutralKeys = ['type', 'id', 'index', 'tool_call_id'];

export function toCallShape(syntax: CallTexts, names: ReadonlySet<string>): CallShape {
  return {
    names,
    nameKeys: [...new Set([syntax.nameKey, 'name', 'function', 'tool_name'])],
    argumentsKeys: [...new Set([syntax.argumentsKey, 'arguments', 'parameters'])],
  };
}

/** Possible first keys of a call. */
export function firstKeys(shape: CallShape): string[] {
  return [...shape.nameKeys, ...shape.argumentsKeys, ...neutralKeys, 'tool_calls', ...shape.names];
}

/** The calls in a JSON object; undefined if the text is anything else. */
export function parseCalls(text: string, shape: CallShape): readonly ToolCall[] | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const list = own(value, 'tool_calls');
  if (!Array.isArray(list)) return allOrNone([readCall(value, shape)]);
  return allOrNone(list.map((item) => (isObject(item) ? readCall(item, shape) : undefined)));
}

/** Undefined if the text is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

function allOrNone(calls: readonly (ToolCall | undefined)[]): readonly ToolCall[] | undefined {
  const valid = calls.filter((call) => call !== undefined);
  return valid.length > 0 && valid.length === calls.length ? valid : undefined;
}

function readCall(value: JsonObject, shape: CallShape): ToolCall | undefined {
  const wrapped = own(value, 'function');
  const call = isObject(wrapped) ? wrapped : value;
  const nameKey = shape.nameKeys.find((key) => typeof own(call, key) === 'string');
  if (nameKey === undefined) return readKeyedCall(value, shape);
  const name = own(call, nameKey) as string;
  // An object with a description is a tool definition, which models often repeat.
  if (!shape.names.has(name) || Object.hasOwn(call, 'description')) return undefined;
  const args = readArguments(call, nameKey, shape);
  return args === undefined ? undefined : { name, arguments: args };
}

/** `{"name": {…}}` */
function readKeyedCall(value: JsonObject, { names }: CallShape): ToolCall | undefined {
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0 || !names.has(name)) return undefined;
  const args = own(value, name);
  return isObject(args) ? { name, arguments: args } : undefined;
}

function readArguments(call: JsonObject, nameKey: string, shape: CallShape): JsonObject | undefined {
  const key = shape.argumentsKeys.find((candidate) => Object.hasOwn(call, candidate));
  if (key === undefined) {
    return Object.keys(call).every((other) => other === nameKey || neutralKeys.includes(other)) ? {} : undefined;
  }
  const value = own(call, key);
  if (value === null) return {};
  if (typeof value === 'string') return isShallow(value.trim()) ? parseObject(value) : undefined;
  return isObject(value) ? value : undefined;
}

/** For JSON whose depth a scanner has not limited before. */
export function isShallow(text: string): boolean {
  const closing = text.startsWith('[') ? ']' : '}';
  return /^[{[]/.test(text) && createBalanceScanner(jsonSyntax, closing).read(text, 1).state === 'complete';
}

function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
