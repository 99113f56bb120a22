// The definition of a tool as Ollama reads it: known keys only, in a fixed order when it is written as JSON. Go templates and
// renderers both show tools to models in this form.

import { isObject, stringsOf } from '../../base/json-values.ts';
import { toGoJson } from '../go-template/functions/json-text.ts';
import { maxValueDepth } from '../go-template/values/limits.ts';
import type { MapValue, Value } from '../go-template/values/values.ts';
import type { Tool } from './message.ts';

export type ToolProperties = readonly (readonly [name: string, schema: PropertySchema])[];

export interface PropertySchema {
  readonly anyOf: readonly PropertySchema[];
  readonly types: readonly string[];
  readonly items: Value;
  readonly description: string;
  readonly enum: readonly Value[];
  /** Undefined: the schema has none. */
  readonly properties: ToolProperties | undefined;
  readonly required: readonly string[];
}

export interface ParametersSchema {
  readonly type: string;
  readonly defs: Value;
  readonly items: Value;
  readonly required: readonly string[];
  readonly properties: ToolProperties | undefined;
}

export function readParameters({ parameters }: Pick<Tool, 'parameters'>): ParametersSchema {
  const { type, required, properties, items, $defs } = asObject(parameters);
  return {
    type: typeof type === 'string' ? type : '',
    defs: $defs,
    items,
    required: stringsOf(required),
    properties: readProperties(properties, 0),
  };
}

function readProperties(properties: Value, depth: number): ToolProperties | undefined {
  if (!isObject(properties)) return undefined;
  return Object.entries(properties).map(([name, schema]) => [name, readProperty(schema, depth + 1)]);
}

/** Deeper schemas are empty. */
function readProperty(schema: Value, depth: number): PropertySchema {
  const known = asObject(depth > maxValueDepth ? undefined : schema);
  const { anyOf, type, items, description, enum: values, properties, required } = known;
  return {
    anyOf: Array.isArray(anyOf) ? (anyOf as readonly Value[]).map((choice) => readProperty(choice, depth + 1)) : [],
    types: typeof type === 'string' ? [type] : stringsOf(type),
    items,
    description: typeof description === 'string' ? description : '',
    enum: Array.isArray(values) ? values : [],
    properties: readProperties(properties, depth),
    required: stringsOf(required),
  };
}

/** How values become JSON where Ollama's renderers differ. Properties are always written as Go does by default. */
type WriteJson = (value: Value) => string;

/** Properties keep their order, and an empty description is left out. */
export function toToolJson({ type = 'function', ...tool }: Tool): string {
  return structJson([
    ['type', toGoJson(type)],
    ['function', functionJson(tool)],
  ]);
}

export function functionJson({ name, description, parameters }: Tool, write: WriteJson = toGoJson): string {
  return structJson([
    ['name', write(name)],
    ['description', unlessEmpty(description, write)],
    ['parameters', parametersJson(readParameters({ parameters }), write)],
  ]);
}

export function parametersJson(schema: ParametersSchema, write: WriteJson = toGoJson): string {
  return structJson([
    ['type', write(schema.type)],
    ['$defs', unlessNothing(schema.defs, write)],
    ['items', unlessNothing(schema.items, write)],
    ['required', unlessEmpty(schema.required, write)],
    ['properties', schema.properties === undefined ? 'null' : propertiesJson(schema.properties)],
  ]);
}

export function propertiesJson(properties: ToolProperties): string {
  return structJson(properties.map(([name, schema]) => [name, propertyJson(schema)]));
}

export function propertyJson({ anyOf, types, properties, ...schema }: PropertySchema): string {
  return structJson([
    ['anyOf', anyOf.length === 0 ? undefined : `[${anyOf.map(propertyJson).join(',')}]`],
    ['type', types.length === 1 ? toGoJson(types[0]) : unlessEmpty(types, toGoJson)],
    ['items', unlessNothing(schema.items, toGoJson)],
    ['description', unlessEmpty(schema.description, toGoJson)],
    ['enum', unlessEmpty(schema.enum, toGoJson)],
    ['properties', properties && propertiesJson(properties)],
    ['required', unlessEmpty(schema.required, toGoJson)],
  ]);
}

/** Members without a text are left out. */
function structJson(members: readonly (readonly [name: string, text: string | undefined])[]): string {
  const written = members.filter(([, text]) => text !== undefined);
  return `{${written.map(([name, text]) => `${toGoJson(name)}:${text}`).join(',')}}`;
}

function unlessNothing(value: Value, write: WriteJson): string | undefined {
  return value === undefined || value === null ? undefined : write(value);
}

function unlessEmpty(value: string | readonly Value[], write: WriteJson): string | undefined {
  return value.length === 0 ? undefined : write(value);
}

function asObject(value: unknown): MapValue {
  return isObject(value) ? (value as MapValue) : {};
}
