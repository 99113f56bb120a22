// The TypeScript type of a tool property, for models that were trained with tools in this notation.

import { maxValueDepth } from '../values/limits.ts';
import { kindOf, type ListValue, type MapValue, type Value } from '../values/values.ts';

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  object: 'Record<string, any>',
  null: 'null',
  // Ollama does not write the type of the items.
  array: 'any[]',
};

/** Accepts the names of the API and of Go: `anyOf` or `AnyOf`. */
function read(property: MapValue, name: string): Value {
  const title = name[0]?.toUpperCase() + name.slice(1);
  const key = [name, title].find((candidate) => Object.hasOwn(property, candidate));
  return key === undefined ? undefined : property[key];
}

export function toTypeScriptType(value: Value, depth = 0): string {
  if (depth > maxValueDepth) throw new Error(`a type is nested more than ${maxValueDepth} levels deep`);
  if (kindOf(value) !== 'map') return 'any';
  const property = value as MapValue;
  const choices = read(property, 'anyOf');
  if (Array.isArray(choices) && choices.length > 0)
    return (choices as ListValue).map((choice) => toTypeScriptType(choice, depth + 1)).join(' | ');
  const type = read(property, 'type');
  const names = Array.isArray(type) ? (type as ListValue) : [type];
  return names.map(nameType).join(' | ') || 'any';
}

function nameType(name: Value): string {
  return typeof name === 'string' && Object.hasOwn(simpleTypes, name) ? (simpleTypes[name] as string) : 'any';
}
