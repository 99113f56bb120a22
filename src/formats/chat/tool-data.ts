// Tools as data of Go templates. They print as in Ollama: not as the caller wrote them, but as Go writes the structs that
// they were parsed into, with the properties of a tool sorted by name.

import { toGoJson } from '../go-template/functions/json-text.ts';
import { compareText, type MapValue, type Value, withText } from '../go-template/values/values.ts';
import type { Tool } from './message.ts';
import {
  type ParametersSchema,
  type PropertySchema,
  parametersJson,
  propertiesJson,
  propertyJson,
  readParameters,
  type ToolProperties,
} from './tool-schema.ts';

export function toToolsData(tools: readonly Tool[]): readonly MapValue[] {
  return withText(tools.map(toToolData), { text: toGoJson });
}

function toToolData({ type = 'function', name, description, parameters }: Tool): MapValue {
  const schema = readParameters({ parameters });
  const properties = schema.properties?.toSorted(([a], [b]) => compareText(a, b));
  const data = toParameterData({ ...schema, properties });
  const called = withJson(
    { Name: name, Description: description, Parameters: data },
    // Templates show the description of a tool also if it is empty.
    () => `{"name":${toGoJson(name)},"description":${toGoJson(description)},"parameters":${toGoJson(data)}}`,
  );
  return withJson({ Type: type, Function: called }, () => `{"type":${toGoJson(type)},"function":${toGoJson(called)}}`);
}

/** Prints as an empty map, but is null in JSON. */
const noProperties = withText({}, { text: () => '{}', json: () => 'null' });

function toParameterData(schema: ParametersSchema): MapValue {
  const { type, required, properties, items, defs } = schema;
  const members = properties === undefined ? noProperties : toPropertiesData(properties);
  return withJson({ Type: type, Required: required, Properties: members, Items: items, Defs: defs }, () =>
    parametersJson(schema),
  );
}

// The JSON is not written from the map: names that look like numbers come first in an object.
function toPropertiesData(properties: ToolProperties): MapValue {
  const entries = properties.map(([name, schema]) => [name, toPropertyData(schema)] as const);
  return withJson(Object.fromEntries(entries), () => propertiesJson(properties));
}

function toPropertyData(schema: PropertySchema): MapValue {
  const { properties } = schema;
  return withJson(
    {
      AnyOf: schema.anyOf.map(toPropertyData),
      Type: toTypeData(schema.types),
      Items: schema.items,
      Description: schema.description,
      Enum: schema.enum,
      Properties: properties && toPropertiesData(properties),
      Required: schema.required,
    },
    () => propertyJson(schema),
  );
}

/** One type is a text. Several are a list that prints as in Go: `[string null]`. */
function toTypeData(types: readonly string[]): Value {
  if (types.length === 0) return withText(types, { text: () => '', json: () => 'null' });
  return types.length === 1 ? types[0] : withText(types, { text: () => `[${types.join(' ')}]` });
}

/** Fields for templates that access them, and JSON for those that print the entire value. */
function withJson(fields: MapValue, json: () => string): MapValue {
  return withText(fields, { text: json, json });
}
