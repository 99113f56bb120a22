// Which JSON values are calls: objects with the name of a known tool and an object of arguments, in the shapes in use.

import { createBalanceScanner, jsonDialect } from './balance-scanner.ts';
import type { ToolCall } from './tool-call.ts';
import type { ToolFormat } from './tool-format.ts';

export interface CallShape {
  readonly names: ReadonlySet<string>;
  readonly nameKeys: readonly string[];
  readonly argumentsKeys: readonly string[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Keys that say nothing about a call; beside a name and these, arguments may be missing. */
const silentKeys = ['type', 'id', 'index'];

export function toCallShape(format: ToolFormat, names: ReadonlySet<string>): CallShape {
  return {
    names,
    nameKeys: [...new Set([format.nameKey, 'name', 'function'])],
    argumentsKeys: [...new Set([format.argumentsKey, 'arguments', 'parameters'])],
  };
}

/** Keys that an object can begin with if it is to be a call. */
export function firstKeys(shape: CallShape): string[] {
  return [...shape.nameKeys, ...shape.argumentsKeys, ...silentKeys, 'tool_calls'];
}

/** The calls in the text of a JSON object, or undefined if it is anything else. */
export function parseCalls(text: string, shape: CallShape): readonly ToolCall[] | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const list = own(value, 'tool_calls');
  if (!Array.isArray(list)) return allOrNone([readCall(value, shape)]);
  return allOrNone(list.map((item) => (isObject(item) ? readCall(item, shape) : undefined)));
}

/** A JSON object, or undefined if the text is anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function allOrNone(calls: readonly (ToolCall | undefined)[]): readonly ToolCall[] | undefined {
  const good = calls.filter((call) => call !== undefined);
  return good.length > 0 && good.length === calls.length ? good : undefined;
}

function readCall(value: JsonObject, shape: CallShape): ToolCall | undefined {
  const wrapped = own(value, 'function');
  const call = isObject(wrapped) ? wrapped : value;
  const nameKey = shape.nameKeys.find((key) => typeof own(call, key) === 'string');
  if (nameKey === undefined) return undefined;
  const name = own(call, nameKey) as string;
  // With a description it is the definition of a tool, which models like to repeat.
  if (!shape.names.has(name) || Object.hasOwn(call, 'description')) return undefined;
  const args = readArguments(call, nameKey, shape);
  return args === undefined ? undefined : { name, arguments: args };
}

function readArguments(call: JsonObject, nameKey: string, shape: CallShape): JsonObject | undefined {
  const key = shape.argumentsKeys.find((candidate) => Object.hasOwn(call, candidate));
  if (key === undefined) {
    return Object.keys(call).every((other) => other === nameKey || silentKeys.includes(other)) ? {} : undefined;
  }
  const value = own(call, key);
  if (value === null) return {};
  if (typeof value === 'string') return isShallow(value.trim()) ? parseObject(value) : undefined;
  return isObject(value) ? value : undefined;
}

/** Arguments inside a string are the only JSON that no scanner has gone over on its way in. */
function isShallow(text: string): boolean {
  return text.startsWith('{') && createBalanceScanner(jsonDialect, '}').read(text, 1).state === 'complete';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
