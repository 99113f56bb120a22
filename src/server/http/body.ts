// Reads request bodies as Go's JSON decoder does, because clients of Ollama rely on it: only the first JSON value
// counts, field names match in any case, and null or an empty value is the same as absent.

import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { TObject } from 'typebox';
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
    const end = endOfFirstValue(text);
    if (end >= text.length) throw notValid(error);
    try {
      return JSON.parse(text.slice(0, end));
    } catch {
      throw notValid(error);
    }
  }
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** The length of the text if the value is not complete. Only strings and nesting count, the parser checks the rest. */
function endOfFirstValue(text: string): number {
  const start = text.search(/[^\t\n\r ]/);
  if (!'{["'.includes(text[start] ?? ' ')) {
    scalar.lastIndex = start;
    return scalar.test(text) ? scalar.lastIndex : text.length;
  }
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (opening.has(code)) depth++;
    else if (closing.has(code)) depth--;
    if (depth === 0) return index + 1;
  }
  return text.length;
}

/** The position of the closing quote, or the length of the text. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  for (let code = text.charCodeAt(index); code !== quote && index < text.length; code = text.charCodeAt(index))
    index += code === backslash ? 2 : 1;
  return index;
}

// Some messages of the parser quote the body. They are logged, and prompts are not.
function notValid(error: unknown): HearthError {
  const message = messageOf(error).replace(/^(Unexpected token '.{1,2}').*$/su, '$1');
  return new HearthError('bad_request', `the request body is not valid JSON: ${message}`, { cause: error });
}

// More are not named.
const maxUnknown = 32;

/** Paths of fields that a schema does not have, without the positions in lists: `messages[].color`. */
export class UnknownFields {
  readonly #paths = new Set<string>();

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  add(parent: string, name: string): void {
    if (this.#paths.size < maxUnknown) this.#paths.add(`${parent}${name}`);
  }
}

/**
 * The fields that the schema has, spelled as in the schema, also in nested objects. An exact name wins over one in
 * another case. Absent fields are left out; a required one stays if it is empty, so that the error names its value.
 */
export function pickFields(
  { properties, required = [] }: { readonly properties: object; readonly required?: readonly string[] },
  body: Readonly<Record<string, unknown>>,
  unknown?: UnknownFields,
  parent = '',
): Record<string, unknown> {
  const schemas = properties as Readonly<Record<string, FieldSchema>>;
  const names = namesOf(schemas);
  const picked: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(body)) {
    const name = names.get(given.toLowerCase());
    if (name === undefined && unknown !== undefined && !isAbsent({}, value)) unknown.add(parent, given);
    if (name === undefined || value === null) continue;
    const schema = schemas[name] as FieldSchema;
    if (isAbsent(schema, value) && !required.includes(name)) continue;
    if (given === name || !Object.hasOwn(body, name))
      picked[name] = pickInside(schema, value, unknown, `${parent}${name}`);
  }
  return picked;
}

// A list of messages has as many objects of one schema.
const knownNames = new WeakMap<object, ReadonlyMap<string, string>>();

/** The names in the schema by their lower case. */
function namesOf(properties: Readonly<Record<string, FieldSchema>>): ReadonlyMap<string, string> {
  const known = knownNames.get(properties);
  if (known) return known;
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  knownNames.set(properties, names);
  return names;
}

function pickInside(
  { properties, required = [], items }: FieldSchema,
  value: unknown,
  unknown: UnknownFields | undefined,
  path: string,
): unknown {
  if (items !== undefined && Array.isArray(value)) {
    const itemPath = `${path}[]`;
    return value.map((entry) => pickInside(items, entry, unknown, itemPath));
  }
  if (properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return pickFields({ properties, required }, value as Record<string, unknown>, unknown, `${path}.`);
}

// Checks request bodies against the schemas of their routes. The validator is loaded, and a schema is compiled, by the
// first request that needs it: compiling all of them takes longer than the rest of the start.

/** Throws `bad_request`, with the first problem in the message. */
export type CheckBody = (schema: TObject, body: unknown) => Promise<void>;

export function createCheckBody(): CheckBody {
  let loaded: Promise<Ajv> | undefined;
  const compiled = new Map<TObject, ValidateFunction>();

  return async (schema, body) => {
    loaded ??= loadValidator();
    const ajv = await loaded;
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    if (validate(body)) return;
    const [problem] = validate.errors ?? [];
    throw new HearthError('bad_request', problem ? describeProblem(problem) : 'the request is not valid');
  };
}

async function loadValidator(): Promise<Ajv> {
  const { Ajv } = await import('ajv');
  // The schemas are ours. To check them against the schema of schemas takes longer than to compile them.
  return new Ajv({ keywords: [...fieldKeywords], meta: false, validateSchema: false });
}

function describeProblem({ instancePath, message = 'is not valid' }: ErrorObject): string {
  return `${fieldOf(instancePath)} ${message}`;
}

// The validator writes context[3] as "/context/3".
function fieldOf(instancePath: string): string {
  const [field = 'the request', ...rest] = instancePath.split('/').slice(1);
  return `${field}${rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')}`;
}

// What a body schema says about its fields beyond JSON schema: which empty values count as absent, and how a field is
// documented that its route checks itself. The validator ignores these keywords.

type EmptyKind = 'string' | 'array' | 'object';

export interface FieldSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly required?: readonly string[];
  /** Empty values of these types have a meaning here, or an error of their own. */
  readonly emptyValues?: readonly EmptyKind[];
  /** 0 has no meaning here. */
  readonly zeroIsAbsent?: boolean;
  /** Replaces the schema in the documentation. */
  readonly documented?: object;
}

export const fieldKeywords = ['emptyValues', 'zeroIsAbsent', 'documented'] as const satisfies (keyof FieldSchema)[];

/**
 * Whether a client means "not set". Clients in Go send every field, with null or an empty value where nothing is set;
 * other clients send the empty values of their forms.
 */
function isAbsent({ emptyValues = [], zeroIsAbsent = false }: FieldSchema, value: unknown): boolean {
  if (value === null) return true;
  if (value === 0) return zeroIsAbsent;
  const kind = emptyKindOf(value);
  return kind !== undefined && !emptyValues.includes(kind);
}

function emptyKindOf(value: unknown): EmptyKind | undefined {
  if (value === '') return 'string';
  if (Array.isArray(value)) return value.length === 0 ? 'array' : undefined;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? 'object' : undefined;
}

/** The schema as the documentation shows it. */
export function toDocumented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toDocumented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { documented, emptyValues: _, zeroIsAbsent: __, ...rest } = schema as FieldSchema;
  return Object.fromEntries(
    Object.entries({ ...rest, ...documented }).map(([key, value]) => [key, toDocumented(value)]),
  );
}
