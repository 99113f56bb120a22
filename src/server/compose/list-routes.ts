// Every route of the server.

import { anthropicRoutes } from '../dialects/anthropic/routes.ts';
import { hearthRoutes } from '../dialects/hearth/routes.ts';
import { llamaServerRoutes } from '../dialects/llama-server/routes.ts';
import { ollamaRoutes } from '../dialects/ollama/routes.ts';
import { openAiRoutes } from '../dialects/openai/routes.ts';
import { rerankRoutes } from '../dialects/rerank/rerank-routes.ts';
import { withDocumentation } from '../http/openapi/documentation.ts';
import type { Route } from '../http/route.ts';
import type { PageFiles } from '../page/page-files.ts';
import { createSendPage, docsAssets, pageRoute } from '../page/page-routes.ts';
import { dialectTable } from './dialect-table.ts';
import { operationTable } from './operations/operation-table.ts';

type Services = Parameters<typeof ollamaRoutes>[0] &
  Parameters<typeof hearthRoutes>[0] &
  Parameters<typeof openAiRoutes>[0] &
  Parameters<typeof anthropicRoutes>[0] &
  Parameters<typeof rerankRoutes>[0] &
  Parameters<typeof llamaServerRoutes>[0];

export interface RouteParts {
  readonly services: Services;
  /** Routes of features. */
  readonly featureRoutes: readonly Route[];
  /** Absent: the web page is switched off. */
  readonly page?: PageFiles;
  readonly version: string;
}

export function listRoutes({ services, featureRoutes, page, version }: RouteParts): Route[] {
  const plainIds = { ...services, newId: () => services.newId().replaceAll('-', '') };
  const routes = [
    ...(page === undefined ? [] : [pageRoute(page, dialectTable.fallback)]),
    ...ollamaRoutes({ ...services, sendPage: page && createSendPage(page) }),
    ...hearthRoutes(services),
    ...featureRoutes,
    ...openAiRoutes(services),
    ...anthropicRoutes(plainIds),
    ...rerankRoutes(plainIds),
    ...llamaServerRoutes(services),
  ];
  const documentation = { version, dialect: dialectTable.fallback, operations: operationTable };
  return withDocumentation({ ...documentation, assets: page === undefined ? undefined : docsAssets }, routes);
}
