// How long the fields of request bodies may be, by their names. The bounds are checked while a body arrives, and the
// OpenAPI document states them. A field that has no row here has the default, so that no field is without a bound.

import type { FieldBound } from '../../../base/text/json-scanner.ts';
import type { Route } from '../route.ts';

const kibibyte = 2 ** 10;
const mebibyte = 2 ** 20;

const defaultBound: FieldBound = { maxBytes: 64 * kibibyte, maxItems: 8192 };
const shortName: FieldBound = { maxBytes: kibibyte, maxItems: 1024 };
const word: FieldBound = { maxBytes: 64, maxItems: 1024 };
const description: FieldBound = { maxBytes: 256 * kibibyte, maxItems: 1024 };
// More than the longest contexts. Reading, rendering and writing a text takes the server a few milliseconds per mebibyte.
const text: FieldBound = { maxBytes: 8 * mebibyte, maxItems: 8192, isFree: true };
const schema: FieldBound = { maxBytes: mebibyte, isFree: true };
const variables: FieldBound = { maxBytes: 64 * kibibyte, isFree: true };
// Files in base64. The limit of the body applies.
const file: FieldBound = { maxBytes: Number.POSITIVE_INFINITY, maxItems: 1024 };

// A model on this machine takes as many (inference/local/check-request.ts), of 1024 characters with up to six bytes.
const stops: FieldBound = { maxBytes: 6 * kibibyte, maxItems: 128 };

const rows = new Map<string, FieldBound>([
  ...fields(word, 'keep_alive', 'role', 'dimensions', 'encoding_format'),
  ...fields(
    shortName,
    'model',
    'against',
    'name',
    'source',
    'destination',
    'id',
    'call_id',
    'tool_call_id',
    'tool_name',
    'prompt_cache_key',
    'digest',
  ),
  ...fields(description, 'description'),
  ...fields(
    text,
    ...['prompt', 'content', 'text', 'input', 'suffix', 'system', 'template', 'thinking', 'reasoning', 'instructions'],
    ...['arguments', 'output', 'query', 'documents', 'texts', 'refusal', 'partial_json', 'summary', 'result'],
    ...['encrypted_content', 'modelfile', 'license', 'reasoning_content', 'prediction', 'signature', 'input_prefix'],
    ...['input_suffix'],
  ),
  ...fields(
    schema,
    ...['parameters', 'input_schema', 'schema', 'json_schema', 'format', 'grammar', 'definition', 'structured_outputs'],
    ...['guided_json', 'guided_grammar', 'json'],
  ),
  ...fields(variables, 'metadata', 'chat_template_kwargs', 'files', 'adapters', 'logit_bias'),
  ...fields(file, 'images', 'image', 'audio', 'url', 'image_url', 'data', 'file_data'),
  ...fields({ maxBytes: kibibyte, maxItems: 1024 }, 'tools'),
  ...fields({ maxBytes: kibibyte, maxItems: 20_000 }, 'messages'),
  ...fields(stops, 'stop', 'stop_sequences'),
]);

function fields(bound: FieldBound, ...names: readonly string[]): [string, FieldBound][] {
  return names.map((name) => [name, bound]);
}

/** By the name in lower case, as clients may write it in any case. */
export function fieldBoundOf(name: string): FieldBound {
  return rows.get(name) ?? defaultBound;
}

/** Bodies without long fields. */
const maxPlainBodyBytes = mebibyte;

/** The most bytes that a body with this schema needs. Undefined: the setting applies. */
export function maxBodyBytesOf(body: object): number | undefined {
  return hasLongField(body) ? undefined : maxPlainBodyBytes;
}

function hasLongField(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { properties = {} } = part as { readonly properties?: object };
  const isLong = Object.keys(properties).some((name) => fieldBoundOf(name).maxBytes >= mebibyte);
  return isLong || Object.values(part).some(hasLongField);
}

/** The documented schema of a body, with the bounds of its strings and arrays where it states none. */
export function withBounds<Schema extends object>(schema: Schema): Schema {
  return bounded(schema, undefined) as Schema;
}

function bounded(part: unknown, field: string | undefined): unknown {
  if (Array.isArray(part)) return part.map((each) => bounded(each, field));
  if (typeof part !== 'object' || part === null) return part;
  const { properties, items, anyOf, ...rest } = part as Readonly<Record<string, unknown>>;
  return {
    ...(field === undefined ? {} : limitsOf(rest, fieldBoundOf(field.toLowerCase()))),
    ...rest,
    properties:
      typeof properties === 'object' && properties !== null
        ? Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, bounded(value, name)]))
        : undefined,
    items: items === undefined ? undefined : bounded(items, field),
    anyOf: anyOf === undefined ? undefined : bounded(anyOf, field),
  };
}

function limitsOf({ type, ...rest }: Readonly<Record<string, unknown>>, { maxBytes, maxItems }: FieldBound): object {
  if (type === 'string' && !('enum' in rest) && Number.isFinite(maxBytes)) return { maxLength: maxBytes };
  return type === 'array' && maxItems !== undefined ? { maxItems } : {};
}

// The most bytes of the body of a route.
const bodyLimits = new WeakMap<Route, number>();

export function bodyLimitOf(route: Route | undefined): number {
  if (route === undefined) return Number.POSITIVE_INFINITY;
  const known = bodyLimits.get(route);
  if (known !== undefined) return known;
  const limit = route.maxBodyBytes ?? maxBodyBytesOf(route.body ?? {}) ?? Number.POSITIVE_INFINITY;
  bodyLimits.set(route, limit);
  return limit;
}
