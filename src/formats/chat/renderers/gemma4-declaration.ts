// How Gemma 4 is shown tools. The schemas below `items` are used as the caller wrote them.

import { isObject, stringsOf } from '../../../base/json-values.ts';
import { maxValueDepth } from '../../go-template/values/limits.ts';
import { type MapValue, sortedKeys, type Value } from '../../go-template/values/values.ts';
import type { Tool } from '../message.ts';
import type { PropertySchema, ToolProperties } from '../tool-schema.ts';
import { writeGemmaDeclaration, writeGemmaList, writeGemmaValue } from './gemma-values.ts';
import { printGoValue } from './go-text.ts';

const quote = '<|"|>';
export const gemma4Notation = { quote, nothing: 'null' } as const;

export function writeGemma4Declaration(tool: Tool): string {
  return writeGemmaDeclaration(tool, gemma4Notation, (properties) => writeProperties(toSchemas(properties)));
}

function toSchemas(properties: ToolProperties): MapValue {
  return Object.fromEntries(properties.map(([name, schema]) => [name, toSchema(schema)]));
}

function toSchema(property: PropertySchema): MapValue {
  const { types, description, enum: values, items, properties, required } = property;
  const names = types.length > 0 ? types : plainChoices(property);
  // The template of the model writes a list of types as Python prints it.
  const type = names.length > 1 ? `[${names.map((name) => `'${name.toUpperCase()}'`).join(', ')}]` : names[0];
  return { type, description, enum: values, items, properties: properties && toSchemas(properties), required };
}

/** The types of an `anyOf` whose choices are nothing but types. */
function plainChoices({ anyOf }: PropertySchema): readonly string[] {
  const isPlain = anyOf.every(
    (choice) =>
      choice.types.length > 0 &&
      choice.anyOf.length === 0 &&
      choice.items == null &&
      choice.description === '' &&
      choice.enum.length === 0 &&
      choice.properties === undefined &&
      choice.required.length === 0,
  );
  return isPlain ? [...new Set(anyOf.flatMap(({ types }) => types))] : [];
}

/** Keys of a schema, which are no properties where properties are missing. */
const schemaKeys: ReadonlySet<string> = new Set(['description', 'type', 'properties', 'required', 'nullable']);

function writeProperties(properties: MapValue, depth = 0): string {
  if (depth > maxValueDepth) throw new Error(`a schema is nested more than ${maxValueDepth} levels deep`);
  return sortedKeys(properties)
    .filter((name) => !schemaKeys.has(name))
    .flatMap((name) => {
      const schema = properties[name];
      return isObject(schema) ? `${name}:{${writeProperty(schema, depth).join(',')}}` : [];
    })
    .join(',');
}

function writeProperty(schema: MapValue, depth: number): readonly string[] {
  const { description, enum: values, items, nullable, properties, required } = schema;
  const types = typeNames(schema['type']);
  const [type] = types;
  const needed = stringsOf(required);
  const parts: string[] = [];
  if (typeof description === 'string' && description !== '') parts.push(`description:${quote}${description}${quote}`);
  if (type === 'STRING' && Array.isArray(values) && values.length > 0)
    parts.push(`enum:${writeGemmaList((values as readonly Value[]).map(printGoValue), gemma4Notation)}`);
  if (type === 'ARRAY' && isObject(items) && sortedKeys(items).length > 0)
    parts.push(`items:{${writeItems(items, depth + 1)}}`);
  if (nullable === true) parts.push('nullable:true');
  if (type === 'OBJECT') {
    parts.push(`properties:{${writeProperties(isObject(properties) ? properties : schema, depth + 1)}}`);
    if (needed.length > 0) parts.push(`required:${writeGemmaList(needed, gemma4Notation)}`);
  }
  if (types.length > 0) parts.push(writeTypes(types));
  return parts;
}

function writeItems(items: MapValue, depth: number): string {
  const keys = sortedKeys(items).filter((key) => items[key] !== null && items[key] !== undefined);
  return keys.map((key) => writeItem(key, items[key], depth)).join(',');
}

function writeItem(key: string, value: Value, depth: number): string {
  switch (key) {
    case 'properties':
      return `properties:{${isObject(value) ? writeProperties(value, depth) : ''}}`;
    case 'required':
      return `required:${writeGemmaList(stringsOf(value), gemma4Notation)}`;
    case 'type':
      return writeTypes(typeNames(value));
    default:
      return `${key}:${writeGemmaValue(value, { ...gemma4Notation, quotesKeys: true })}`;
  }
}

function writeTypes(types: readonly string[]): string {
  const [type, ...others] = types;
  if (type === undefined) return '';
  return `type:${others.length === 0 ? quote + type + quote : writeGemmaList(types, gemma4Notation)}`;
}

function typeNames(type: Value): readonly string[] {
  return (typeof type === 'string' ? [type] : stringsOf(type)).map((name) => name.toUpperCase());
}
