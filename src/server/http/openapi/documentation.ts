// GET /openapi.json and GET /docs. Anyone can request them without a key, so they are made and compressed once.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDialect } from '../dialect.ts';
import type { Route } from '../route.ts';
import type { DocsAssets } from './docs-page.ts';
import type { OperationTable } from './operation.ts';

interface PreparedText {
  readonly plain: Buffer;
  readonly compressed: Buffer;
  /** Changes with the content. */
  readonly hash: string;
}

interface Documentation {
  readonly json: PreparedText;
  readonly page: PreparedText;
  readonly pagePolicy: string;
}

interface DocumentationOptions {
  readonly version: string;
  /** The dialect of the two routes that this adds. */
  readonly dialect: ApiDialect;
  readonly operations: OperationTable;
  /** Absent: the page has a simple look, and sends no requests. */
  readonly assets?: DocsAssets;
}

/** Adds two routes that describe all routes, including themselves. */
export function withDocumentation(options: DocumentationOptions, routes: readonly Route[]): Route[] {
  const { dialect } = options;
  const all: Route[] = [
    ...routes,
    {
      dialect,
      method: 'GET',
      scope: 'open',
      path: '/openapi.json',
      tag: 'Server',
      summary: 'Get the OpenAPI document',
      async handle(request, reply) {
        const { json } = await document();
        return send(json, request, reply.type('application/json; charset=utf-8'));
      },
    },
    {
      dialect,
      method: 'GET',
      scope: 'open',
      path: '/docs',
      tag: 'Server',
      summary: 'Show the API documentation',
      async handle(request, reply) {
        const { page, pagePolicy } = await document();
        const headers = { 'content-security-policy': pagePolicy, 'x-content-type-options': 'nosniff' };
        return send(page, request, reply.type('text/html; charset=utf-8').headers(headers));
      },
    },
  ];
  // Made when it is first requested: most servers are never asked.
  let made: Promise<Documentation> | undefined;
  const document = (): Promise<Documentation> => {
    made ??= makeDocumentation(all, options);
    return made;
  };
  return all;
}

async function makeDocumentation(
  routes: readonly Route[],
  { version, operations, assets }: DocumentationOptions,
): Promise<Documentation> {
  const { toOpenApi } = await import('./to-openapi.ts');
  const { docsPolicy, toDocsPage } = await import('./docs-page.ts');
  const document = toOpenApi(routes, { version, operations });
  await setImmediate();
  const json = await prepare(JSON.stringify(document));
  const page = await prepare(toDocsPage(document, assets));
  return { json, page, pagePolicy: docsPolicy(assets) };
}

const compress = promisify(gzip);

async function prepare(text: string): Promise<PreparedText> {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 16);
  return { plain, compressed: await compress(plain), hash };
}

function send(
  { plain, compressed, hash }: PreparedText,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isCompressed = /\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
  const tag = `"${hash}${isCompressed ? '-gzip' : ''}"`;
  void reply.headers({ etag: tag, 'cache-control': 'no-cache', vary: 'Accept-Encoding, Origin' });
  if (headers['if-none-match'] === tag) return reply.code(304).send();
  if (isCompressed) void reply.header('content-encoding', 'gzip');
  return reply.send(isCompressed ? compressed : plain);
}
