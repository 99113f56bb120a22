// The OpenAPI document as an HTML page. It needs no script; with one, requests can be sent from it (web/docs).

import { createHash } from 'node:crypto';
import { errorsOf, escapeHtml, type Place, type ShownParts, tablesOf } from './docs-tables.ts';
import type { OpenApiDocument, Operation } from './to-openapi.ts';

/** Addresses of files on this server. */
export interface DocsAssets {
  readonly style: string;
  readonly script: string;
  readonly icon: string;
}

/** The look without assets. */
const plainStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2.5rem; }
details { border: 1px solid #8886; border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; }
code, .method, td:first-child { font-family: ui-monospace, monospace; font-size: .9em; }
.method { display: inline-block; min-width: 4.5em; font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8883; }
`;

/** Content-Security-Policy of the page: its own style, or files of this server; nothing else. */
export function docsPolicy(assets?: DocsAssets): string {
  const sources =
    assets === undefined
      ? [`style-src 'sha256-${createHash('sha256').update(plainStyle).digest('base64')}'`]
      : ["style-src 'self'", "script-src 'self'", "connect-src 'self'", "img-src 'self'"];
  return ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join(
    '; ',
  );
}

export function toDocsPage(document: OpenApiDocument, assets?: DocsAssets): string {
  const shown: ShownParts = new Map();
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API – ${escapeHtml(title)}</title>${toHead(assets)}</head>
<body>${toBar(document, assets)}<main><h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)} Errors are shown with the first operation of a group. Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
${document.tags.map(({ name }) => toSection(name, document.paths, shown)).join('')}</main></body></html>
`;
}

function toHead(assets: DocsAssets | undefined): string {
  if (assets === undefined) return `<style>${plainStyle}</style>`;
  const { style, script, icon } = assets;
  return `<meta name="color-scheme" content="light dark"><link rel="icon" href="${icon}">
<link rel="stylesheet" href="${style}"><script type="module" src="${script}"></script>`;
}

/** The links of the page: back to the web page, and to each group of operations. */
function toBar({ tags }: OpenApiDocument, assets: DocsAssets | undefined): string {
  const links = tags.map(({ name }) => `<a href="#${toId(name)}">${escapeHtml(name)}</a>`).join(' ');
  const home = assets === undefined ? '' : `<a class="home" href="/"><img src="${assets.icon}" alt="">Hearth</a>`;
  return `<header>${home}<nav aria-label="Groups">${links}</nav></header>`;
}

function toId(tag: string): string {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function toSection(tag: string, paths: OpenApiDocument['paths'], shown: ShownParts): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => toDetails(operation, { operation: `${method.toUpperCase()} ${path}`, tag, shown })),
  );
  return `<section><h2 id="${toId(tag)}">${escapeHtml(tag)}</h2>\n${operations.join('')}</section>`;
}

function toDetails(operation: Operation, place: Place): string {
  const { summary, description, operationId, requestBody, responses } = operation;
  const [method = '', path = ''] = place.operation.split(' ');
  const parts = [
    ...(description === undefined ? [] : [`<p>${escapeHtml(description)}</p>`]),
    ...exampleOf(requestBody),
    ...tablesOf('Request', requestBody?.content, place),
    ...tablesOf('Response', responses['200']?.content, place),
    ...errorsOf(responses['default']?.content, place),
  ];
  return `<details id="${operationId}"><summary><span class="method">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
${parts.join('\n')}</details>
`;
}

function exampleOf(requestBody: Operation['requestBody']): string[] {
  const [example] = Object.values(requestBody?.content ?? {}).map((content) => content.example);
  return example === undefined
    ? []
    : [`<h3>Example</h3><pre class="example"><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>`];
}
