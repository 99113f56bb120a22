// GET /metrics

import type { RouteScope } from '../../../http/access/access-control.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';

interface MetricsRouteOptions {
  readonly metrics: { readonly contentType: string; read(): Promise<string> };
  /** Absent: admin. */
  readonly metricsScope?: RouteScope;
}

export function metricsRoute({ metrics, metricsScope: scope = 'admin' }: MetricsRouteOptions): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope,
    path: '/metrics',
    tag: 'Server',
    summary: 'Prometheus metrics',
    polled: true,
    beforeReady: true,
    handle: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read()),
  };
}
