// Tools as data of Go templates. They print as in Ollama: not as the caller wrote them, but as Go writes the structs that
// they were parsed into. Known keys in a fixed order, empty ones left out, and the properties of a tool sorted by name.

import { toGoJson } from '../go-template/functions/json-text.ts';
import { maxValueDepth } from '../go-template/values/limits.ts';
import { compareText, type MapValue, type Value, withText } from '../go-template/values/values.ts';
import type { Tool } from './message.ts';

export function toToolsData(tools: readonly Tool[]): readonly MapValue[] {
  return withText(
    tools.map((tool) => toToolData(tool, { isSorted: true })),
    { text: toGoJson },
  );
}

/** The JSON text of a tool outside of templates. Its properties keep their order, and an empty description is left out. */
export function toToolJson(tool: Tool): string {
  return toGoJson(toToolData(tool, { isSorted: false }));
}

interface PropertyOrder {
  /** Whether the properties of the tool itself are sorted. Go keeps the order of those that are nested. */
  readonly isSorted: boolean;
}

function toToolData({ type = 'function', name, description, parameters }: Tool, order: PropertyOrder): MapValue {
  const data = toParameterData(parameters, order);
  const called = struct(
    { Name: name, Description: description, Parameters: data },
    { name, description: order.isSorted ? description : orAbsent(description), parameters: data },
  );
  return struct({ Type: type, Function: called }, { type, function: called });
}

/** Prints as an empty map, but is null in JSON. */
const noProperties = withText({}, { text: () => '{}', json: () => 'null' });

function toParameterData(parameters: unknown, order: PropertyOrder): MapValue {
  const { type, required, properties, items, $defs } = asObject(parameters);
  const kind = typeof type === 'string' ? type : '';
  const needed = stringsIn(required);
  const members = isObject(properties) ? toPropertiesData(properties, 0, order) : undefined;
  return struct(
    { Type: kind, Required: needed, Properties: members ?? noProperties, Items: items, Defs: $defs },
    {
      type: kind,
      $defs: orAbsent($defs),
      items: orAbsent(items),
      required: orAbsent(needed),
      properties: members ?? noProperties,
    },
  );
}

function toPropertiesData(properties: MapValue, depth: number, { isSorted }: PropertyOrder): MapValue {
  const names = Object.keys(properties);
  if (isSorted) names.sort(compareText);
  const entries = names.map((name) => [name, toPropertyData(properties[name], depth + 1)] as const);
  const data: MapValue = Object.fromEntries(entries);
  // Names that look like numbers would come first in the object.
  return withText(data, printer(entries));
}

/** Deeper schemas print as `{}`. */
function toPropertyData(schema: Value, depth: number): MapValue {
  const shown = depth > maxValueDepth ? undefined : schema;
  const { anyOf, type, items, description, enum: values, properties, required } = asObject(shown);
  const kind = toTypeData(type);
  const choices = Array.isArray(anyOf)
    ? (anyOf as readonly Value[]).map((choice) => toPropertyData(choice, depth + 1))
    : [];
  const text = typeof description === 'string' ? description : '';
  const list = Array.isArray(values) ? values : [];
  const members = isObject(properties) ? toPropertiesData(properties, depth, { isSorted: false }) : undefined;
  const needed = stringsIn(required);
  return struct(
    {
      AnyOf: choices,
      Type: kind,
      Items: items,
      Description: text,
      Enum: list,
      Properties: members,
      Required: needed,
    },
    {
      anyOf: orAbsent(choices),
      type: orAbsent(kind),
      items: orAbsent(items),
      description: orAbsent(text),
      enum: orAbsent(list),
      properties: members,
      required: orAbsent(needed),
    },
  );
}

/** One type is a text. Several are a list that prints as in Go: `[string null]`. */
function toTypeData(type: Value): Value {
  const names = typeof type === 'string' ? [type] : stringsIn(type);
  if (names.length === 0) return withText(names, { text: () => '', json: () => 'null' });
  return names.length === 1 ? names[0] : withText(names, { text: () => `[${names.join(' ')}]` });
}

/** Fields for templates that access them, and JSON for those that print the entire value. */
function struct(fields: MapValue, json: MapValue): MapValue {
  return withText(fields, printer(Object.entries(json)));
}

/** Writes an object with its entries in this order. An undefined value is left out. */
function printer(entries: readonly (readonly [string, Value])[]): { text: () => string; json: () => string } {
  const text = (): string =>
    `{${entries
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${toGoJson(name)}:${toGoJson(value)}`)
      .join(',')}}`;
  return { text, json: text };
}

/** Undefined for the values that Go leaves out with `omitempty`. */
function orAbsent(value: Value): Value {
  if (value === null || value === '') return undefined;
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function stringsIn(value: Value): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function asObject(value: unknown): MapValue {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is MapValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
