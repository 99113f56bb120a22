// GET /metrics, for Prometheus

import type { Route } from '../../../http/route.ts';

export interface MetricsText {
  readonly contentType: string;
  read(): Promise<string>;
}

export function metricsRoute(metrics: MetricsText): Route {
  return {
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus, as text',
    handle: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read()),
  };
}
