// GET /openapi.json and GET /docs

import type { Route } from '../route.ts';
import { docsPolicy, toDocsPage } from './docs-page.ts';
import { toOpenApi } from './to-openapi.ts';

/** The routes, and two more that describe them all, themselves included. */
export function withDocumentation(version: string, routes: readonly Route[]): Route[] {
  const all: Route[] = [
    ...routes,
    {
      method: 'GET',
      path: '/openapi.json',
      summary: 'This API as an OpenAPI document',
      handle: () => document,
    },
    {
      method: 'GET',
      path: '/docs',
      summary: 'This API as a page to read',
      handle: (_request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', docsPolicy)
          .header('x-content-type-options', 'nosniff')
          .send(page),
    },
  ];
  const document = toOpenApi(all, version);
  const page = toDocsPage(document);
  return all;
}
