// The fields of requests and responses as HTML tables.

import type { Operation } from './to-openapi.ts';

/** Long tables and fields, and the operation that has each of them first. Others with the same schema refer to it. */
export type ShownParts = Map<string, string>;

/** An operation, and what the page shows before it. */
export interface Place {
  readonly operation: string;
  /** The group of the operation. */
  readonly tag: string;
  readonly shown: ShownParts;
}

const longPartCharacters = 300;
// A reader wants to see the fields of a request, but not the same forty options in each table.
const manyFields = 3;

type Content = NonNullable<Operation['requestBody']>['content'];

/** A table for each form of a request or a response. */
export function tablesOf(title: string, content: Content | undefined, place: Place): string[] {
  return Object.entries(content ?? {}).map(
    ([type, { schema }]) => `<h3>${title} <code>${escapeHtml(type)}</code></h3>${toTable(schema as Schema, place)}`,
  );
}

/** Few forms of errors are those of nearly all operations. Each group refers to its form once. */
export function errorsOf(content: Content | undefined, place: Place): string[] {
  const { operation, tag, shown } = place;
  const key = `errors ${JSON.stringify(content)}`;
  const keyInGroup = `${tag} ${key}`;
  if (shown.has(keyInGroup)) return [];
  shown.set(keyInGroup, operation);
  const first = shown.get(key);
  if (first !== undefined) return [`<p>Errors as in <code>${escapeHtml(first)}</code>.</p>`];
  shown.set(key, operation);
  return tablesOf('Error', content, place);
}

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
}

function toTable(schema: Schema, place: Place): string {
  // An object with several forms: one table for each.
  if (schema.anyOf) return schema.anyOf.map((form) => toTable(form, place)).join('\n');
  // An array of objects, such as the response of TEI.
  const rows = schema.items ? rowsOf(schema.items, '[].', place) : rowsOf(schema, '', place);
  if (rows === '') return '<p>Binary data.</p>';
  return `<table><tr><th>field<th>type<th>description${rows}</table>`;
}

/** A row for each field, including nested ones: `messages[].role`. */
function rowsOf({ properties = {}, required = [] }: Schema, prefix: string, place: Place): string {
  const { operation, shown } = place;
  const key = JSON.stringify(properties);
  const first = shown.get(key) ?? operation;
  if (first !== operation) return toRow(`${prefix}…`, '', `As in <code>${escapeHtml(first)}</code>.`);
  const optional = Object.entries(properties).filter(([name]) => !required.includes(name));
  const repeated = repeatedFields(optional, place);
  const repeatedNames = new Set(repeated.flatMap(({ names }) => names));
  const own = Object.entries(properties).filter(([name]) => !repeatedNames.has(name));
  const rows = own.map(([name, field]) => {
    const path = prefix + name;
    if (!shown.has(fieldKey(name, field))) shown.set(fieldKey(name, field), operation);
    const row = toRow(path, escapeHtml(typeOf(field)), escapeHtml(field.description ?? ''));
    const items = field.items ? rowsOf(field.items, `${path}[].`, place) : '';
    return row + rowsOf(field, `${path}.`, place) + items;
  });
  const references = repeated.map(({ first, names }) =>
    toRow(prefix + names.join(', '), '', `As in <code>${escapeHtml(first)}</code>.`),
  );
  const html = [...rows, ...references].join('');
  if (html.length >= longPartCharacters) shown.set(key, operation);
  return html;
}

function fieldKey(name: string, field: Schema): string {
  return `field ${name} ${JSON.stringify(field)}`;
}

interface RepeatedFields {
  /** The operation that has these fields first. */
  readonly first: string;
  readonly names: readonly string[];
}

/** The fields that earlier operations have too, if they are many. */
function repeatedFields(fields: readonly [string, Schema][], { operation, shown }: Place): RepeatedFields[] {
  const groups = new Map<string, string[]>();
  for (const [name, field] of fields) {
    const first = shown.get(fieldKey(name, field)) ?? operation;
    if (first !== operation) groups.set(first, [...(groups.get(first) ?? []), name]);
  }
  return [...groups].map(([first, names]) => ({ first, names })).filter(({ names }) => names.length >= manyFields);
}

/** Without end tags, which HTML does not need here, and the style makes names code: the page has more than a thousand rows. */
function toRow(path: string, type: string, description: string): string {
  return `<tr><td>${escapeHtml(path)}<td>${type}<td>${description}`;
}

function typeOf({ type, const: constant, enum: choices, items, anyOf }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return items ? `array of ${typeOf(items)}` : 'array';
  return type ?? 'any';
}

/** For text between tags. Not for values of attributes, whose quotes would need it too. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
