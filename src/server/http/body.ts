// Reads request bodies as Go's JSON decoder does, because clients of Ollama rely on it: only the first JSON value
// counts, field names match in any case, and null is the same as absent.

import { HearthError, messageOf } from '../../base/errors.ts';

export function parseBody(bytes: Buffer | undefined): Record<string, unknown> {
  if (bytes === undefined || bytes.length === 0) throw new HearthError('bad_request', 'missing request body');
  const value = parseFirstValue(bytes.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HearthError('bad_request', 'the request body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

// The parser names the position of text after a complete value. To search the end of the value here would take longer
// than to parse it.
const trailingText = /^Unexpected non-whitespace character after JSON at position (\d+)/;

function parseFirstValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, end] = trailingText.exec(messageOf(error)) ?? [];
    if (end === undefined) throw notValid(error);
    return parseExactly(text.slice(0, Number(end)));
  }
}

function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notValid(error);
  }
}

// Some messages of the parser quote the body. They are logged, and prompts are not.
function notValid(error: unknown): HearthError {
  const message = messageOf(error).replace(/^(Unexpected token '.{1,2}').*$/su, '$1');
  return new HearthError('bad_request', `the request body is not valid JSON: ${message}`);
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/**
 * The fields that the schema has, spelled as in the schema, also in nested objects. An exact name wins over one in
 * another case. Fields that are null are left out.
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
