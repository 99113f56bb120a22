// GET /openapi.json and GET /docs

import type { ApiDialect } from '../dialect.ts';
import type { Route } from '../route.ts';
import type { DocsAssets } from './docs-page.ts';
import type { OperationTable } from './operation.ts';

interface Documentation {
  readonly json: string;
  readonly page: string;
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
      handle: async (_request, reply) => reply.type('application/json; charset=utf-8').send((await document()).json),
    },
    {
      dialect,
      method: 'GET',
      scope: 'open',
      path: '/docs',
      tag: 'Server',
      summary: 'Show the API documentation',
      async handle(_request, reply) {
        const { page, pagePolicy } = await document();
        return reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', pagePolicy)
          .header('x-content-type-options', 'nosniff')
          .send(page);
      },
    },
  ];
  // Made once, when it is first requested: it is large, and any caller can request it often.
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
  return { json: JSON.stringify(document), page: toDocsPage(document, assets), pagePolicy: docsPolicy(assets) };
}
