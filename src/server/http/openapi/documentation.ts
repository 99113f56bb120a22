// GET /openapi.json and GET /docs

import type { ApiDialect } from '../dialect.ts';
import type { Route } from '../route.ts';
import { docsPolicy, toDocsPage } from './docs-page.ts';
import { toOpenApi } from './to-openapi.ts';

export interface DocumentationOptions {
  readonly version: string;
  /** Of the two routes that this adds. */
  readonly dialect: ApiDialect;
}

/** Adds two routes that describe all routes, including themselves. */
export function withDocumentation({ version, dialect }: DocumentationOptions, routes: readonly Route[]): Route[] {
  const all: Route[] = [
    ...routes,
    {
      dialect,
      method: 'GET',
      path: '/openapi.json',
      tag: 'Server',
      summary: 'Get the OpenAPI document',
      handle: (_request, reply) => reply.type('application/json; charset=utf-8').send(json),
    },
    {
      dialect,
      method: 'GET',
      path: '/docs',
      tag: 'Server',
      summary: 'Show the API documentation',
      handle: (_request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', docsPolicy)
          .header('x-content-type-options', 'nosniff')
          .send(page),
    },
  ];
  const document = toOpenApi(all, version);
  // Serialized once: it is large, and any caller can request it often.
  const json = JSON.stringify(document);
  const page = toDocsPage(document);
  return all;
}
