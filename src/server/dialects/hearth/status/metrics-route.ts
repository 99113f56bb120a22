// GET /metrics

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';

export function metricsRoute(metrics: { readonly contentType: string; read(): Promise<string> }): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'admin',
    path: '/metrics',
    tag: 'Server',
    summary: 'Prometheus metrics',
    polled: true,
    beforeReady: true,
    handle: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read()),
  };
}
