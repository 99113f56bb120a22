// The routes of llama-server's own API. Its OpenAI and rerank paths are those of the other dialects, and so is /health.

import type { Route } from '../../http/route.ts';
import { infillRoute } from './infill/infill-route.ts';
import { createFindProperties } from './status/find-properties.ts';
import { propsRoute, type StatusRouteOptions, slotsRoute } from './status/status-routes.ts';
import {
  applyTemplateRoute,
  plainDetokenizeRoute,
  plainTokenizeRoute,
  type TokensRouteOptions,
} from './tokens/tokens-routes.ts';

type LlamaServerServices = Parameters<typeof infillRoute>[0] &
  Parameters<typeof createFindProperties>[0] &
  Omit<StatusRouteOptions & TokensRouteOptions, 'findProperties'>;

export function llamaServerRoutes(given: LlamaServerServices): Route[] {
  const services = { ...given, findProperties: createFindProperties(given) };
  return [
    infillRoute(services),
    plainTokenizeRoute(services),
    plainDetokenizeRoute(services),
    applyTemplateRoute(services),
    propsRoute(services),
    slotsRoute(services),
  ];
}
