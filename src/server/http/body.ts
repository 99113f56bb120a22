// Reads request bodies the way clients of this API expect, which is the way of Go's decoder: whatever the content
// type says, only the first JSON value counts, field names match in any case, and null is the same as absent.

import { HearthError, messageOf } from '../../base/errors.ts';

export function parseBody(bytes: Buffer | undefined): Record<string, unknown> {
  if (bytes === undefined || bytes.length === 0) throw new HearthError('bad_request', 'missing request body');
  const value = parseFirstValue(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HearthError('bad_request', 'the request body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function parseFirstValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const end = endOfObject(text);
    if (end === undefined)
      throw new HearthError('bad_request', `the request body is not valid JSON: ${messageOf(error)}`);
    return parseExactly(text.slice(0, end));
  }
}

function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HearthError('bad_request', `the request body is not valid JSON: ${messageOf(error)}`);
  }
}

/** The offset behind the first object in the text, if something stands behind it. */
function endOfObject(text: string): number | undefined {
  let depth = 0;
  const interesting = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  for (let match = interesting.exec(text); match; match = interesting.exec(text)) {
    const [part] = match;
    if (part === '{' || part === '[') depth++;
    else if (part === '}' || part === ']') {
      if (--depth === 0) return interesting.lastIndex;
    } else if (depth === 0) return undefined;
  }
  return undefined;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/**
 * The fields that a schema knows, under its own spelling, in the objects inside it too. An exact name wins over one in
 * another case; null is nothing.
 */
export function pickFields(
  schema: { readonly properties: object },
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  const picked: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(body)) {
    const name = names.get(given.toLowerCase());
    if (name === undefined || value === null) continue;
    if (given === name || !Object.hasOwn(body, name)) picked[name] = pickInside(properties[name] as Schema, value);
  }
  return picked;
}

function pickInside(schema: Schema, value: unknown): unknown {
  const { properties, items } = schema;
  if (items !== undefined && Array.isArray(value)) return value.map((entry) => pickInside(items, entry));
  if (properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return pickFields({ properties }, value as Record<string, unknown>);
}
