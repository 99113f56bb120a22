// What the forms of calls share while a grammar is built.

import { characterClass, type Expression, literal, optional, repeat, sequence } from '../../grammar/gbnf/expression.ts';
import { textUntil } from '../../grammar/gbnf/text-until.ts';
import type { SchemaCompiler } from '../../grammar/schema.ts';

export type ObjectSchema = Readonly<Record<string, unknown>>;

export interface HeldTool {
  readonly name: string;
  /** Describes an object. */
  readonly schema: ObjectSchema;
}

export function createFormContext({ rules, compile }: SchemaCompiler) {
  const texts = new Map<string, Expression>();
  return {
    rules,
    /** The JSON values of a schema. */
    compile: (schema: unknown): Expression => compile([{ schema, path: '' }]),
    /** Any text up to an end text, and the end text. */
    textUntil(end: string): Expression {
      const text = texts.get(end) ?? textUntil(rules, end);
      texts.set(end, text);
      return text;
    },
  };
}

export type FormContext = ReturnType<typeof createFormContext>;

const letters = [
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
] as const;
/** The name of an argument that is not declared. */
export const anyName: Expression = sequence(
  characterClass(letters),
  repeat(characterClass([[0x30, 0x39], ...letters]), 0, 40),
);

/** A number of a call. */
export const digits: Expression = repeat(characterClass([[0x30, 0x39]]), 1, 3);

/** Combinators can add members, so that the arguments are not known one by one. */
const combinators = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'minProperties', 'maxProperties'];

interface Argument {
  readonly name: string;
  readonly schema: unknown;
  readonly required: boolean;
}

/** The declared members of an object schema. Undefined: they are not known one by one. */
export function argumentsOf(schema: ObjectSchema): readonly Argument[] | undefined {
  const { properties, required } = schema;
  if (typeof properties !== 'object' || properties === null) return undefined;
  if (combinators.some((key) => schema[key] !== undefined)) return undefined;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const needed = new Set(names.filter((name) => typeof name === 'string'));
  const undeclared = [...needed].filter((name) => !Object.hasOwn(properties, name));
  const all = [...Object.entries(properties), ...undeclared.map((name) => [name, true] as const)];
  return all.map(([name, value]) => ({ name, schema: value, required: needed.has(name) }));
}

/** A limit in a schema. */
export function countOr(value: unknown, absent: number): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : absent;
}

export const blank: Expression = optional(
  characterClass([
    [0x0a, 0x0a],
    [0x20, 0x20],
  ]),
);

/** Blanks are optional, except before a word, such as an attribute of a tag, and line breaks around a code fence. */
export function layoutText(text: string): Expression {
  const parts = text.split(/((?<!```\w*)(?!\n```)\s+(?!\s|\w))/);
  return sequence(...parts.map((part, index) => (index % 2 === 1 ? blank : literal(part))));
}
