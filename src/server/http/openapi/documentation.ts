// GET /openapi.json and GET /docs

import type { ApiDialect } from '../dialect.ts';
import type { Route } from '../route.ts';

interface Documentation {
  readonly json: string;
  readonly page: string;
  readonly pagePolicy: string;
}

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
    made ??= makeDocumentation(all, version);
    return made;
  };
  return all;
}

async function makeDocumentation(routes: readonly Route[], version: string): Promise<Documentation> {
  const { toOpenApi } = await import('./to-openapi.ts');
  const { docsPolicy, toDocsPage } = await import('./docs-page.ts');
  const document = toOpenApi(routes, version);
  return { json: JSON.stringify(document), page: toDocsPage(document), pagePolicy: docsPolicy };
}
