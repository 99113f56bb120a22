// The OpenAPI document as an HTML page: one file, no scripts, no external resources.

import { createHash } from 'node:crypto';
import type { OpenApiDocument, Operation } from './to-openapi.ts';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; }
details { border: 1px solid #8886; border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; }
code, .method { font-family: ui-monospace, monospace; font-size: .9em; }
.method { display: inline-block; min-width: 4.5em; font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8883; }
`;

/** Content-Security-Policy of the page: its own style, nothing else. */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function toDocsPage(document: OpenApiDocument): string {
  const shown: ShownParts = new Map();
  const sections = document.tags.map(({ name }) => toSection(name, document.paths, shown)).join('');
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)} Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
${sections}</body></html>
`;
}

/** Schemas with long tables, and the operation that has each of them first. Others with the same schema refer to it. */
type ShownParts = Map<string, string>;

/** An operation, and what the page shows before it. */
interface Place {
  readonly operation: string;
  readonly shown: ShownParts;
}

const longPart = 2000;

function toSection(tag: string, paths: OpenApiDocument['paths'], shown: ShownParts): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => toDetails(method.toUpperCase(), path, operation, shown)),
  );
  return `<h2>${escapeHtml(tag)}</h2>\n${operations.join('')}`;
}

function toDetails(
  method: string,
  path: string,
  { summary, requestBody, responses }: Operation,
  shown: ShownParts,
): string {
  const place = { operation: `${method} ${path}`, shown };
  const parts = [
    ...tablesOf('Request', requestBody?.content, place),
    ...tablesOf('Response', responses['200']?.content, place),
    ...tablesOf('Error', responses['default']?.content, place),
  ];
  return `<details><summary><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
${parts.join('\n')}</details>
`;
}

type Content = NonNullable<Operation['requestBody']>['content'];

function tablesOf(title: string, content: Content | undefined, place: Place): string[] {
  return Object.entries(content ?? {}).map(
    ([type, { schema }]) => `<h4>${title} <code>${escapeHtml(type)}</code></h4>${toTable(schema as Schema, place)}`,
  );
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
  return `<table><tr><th>field</th><th>type</th><th>description</th></tr>${rows}</table>`;
}

/** A row for each field, including nested ones: `messages[].role`. */
function rowsOf({ properties = {} }: Schema, prefix: string, place: Place): string {
  const { operation, shown } = place;
  const key = prefix + JSON.stringify(properties);
  const first = shown.get(key) ?? operation;
  if (first !== operation) return toRow(`${prefix}…`, '', `As in <code>${escapeHtml(first)}</code>.`);
  const rows = Object.entries(properties).map(([name, field]) => {
    const path = prefix + name;
    const row = toRow(path, escapeHtml(typeOf(field)), escapeHtml(field.description ?? ''));
    const items = field.items ? rowsOf(field.items, `${path}[].`, place) : '';
    return row + rowsOf(field, `${path}.`, place) + items;
  });
  const html = rows.join('');
  if (html.length >= longPart) shown.set(key, operation);
  return html;
}

function toRow(path: string, type: string, description: string): string {
  return `<tr><td><code>${escapeHtml(path)}</code></td><td>${type}</td><td>${description}</td></tr>`;
}

function typeOf({ type, const: constant, enum: choices, items, anyOf }: Schema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return items ? `array of ${typeOf(items)}` : 'array';
  return type ?? 'any';
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
