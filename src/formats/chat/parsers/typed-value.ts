// The values of arguments that are written as text. The types in the schema of the parameter decide what the text means.

import { createBalanceScanner, jsonSyntax } from '../tool-calls/balance-scanner.ts';

/** A text that is none of the types stays a text. */
export function readTypedValue(text: string, types: readonly string[]): unknown {
  if (text.toLowerCase() === 'null') return null;
  for (const type of typeOrder) {
    if (!types.includes(type)) continue;
    const value = readers[type](text.trim());
    if (value !== undefined) return value;
    if (types.length === 1) return type === 'boolean' ? false : text;
  }
  return text;
}

/** The types that a parameter of a tool can have. */
export function typesOf(parameters: unknown, name: string): readonly string[] {
  const { properties } = asObject(parameters);
  const schema = asObject(Object.hasOwn(asObject(properties), name) ? asObject(properties)[name] : undefined);
  const choices = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return (choices.length > 0 ? choices : [schema]).flatMap((choice) => {
    const { type } = asObject(choice);
    return (Array.isArray(type) ? type : [type]).filter((item) => typeof item === 'string');
  });
}

const typeOrder = ['boolean', 'integer', 'number', 'array', 'object'] as const;

const readers: Readonly<Record<(typeof typeOrder)[number], (text: string) => unknown>> = {
  boolean: (text) => ({ true: true, false: false })[text.toLowerCase()],
  integer: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  number: (text) => (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined),
  array: (text) => readJson(text, Array.isArray),
  object: (text) => readJson(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
};

function readJson(text: string, fits: (value: unknown) => boolean): unknown {
  if (!isShallow(text.trim())) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Deep values would overflow the stack. */
function isShallow(text: string): boolean {
  return createBalanceScanner(jsonSyntax, '}').read(`${text}}`, 0).state === 'complete';
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
