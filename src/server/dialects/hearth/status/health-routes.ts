// GET /health, /livez and /readyz, for load balancers and container platforms. The server refuses new connections while
// it shuts down, so all three have the same answer; only /livez gives it before the server is ready.

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { HealthResponseBody } from './health-schema.ts';

export const healthRoutes: readonly Route[] = ['/health', '/livez', '/readyz'].map((path) => ({
  dialect: ollamaDialect,
  method: 'GET',
  scope: 'open',
  path,
  tag: 'Server',
  summary: 'Check that the server is running',
  response: HealthResponseBody,
  polled: true,
  beforeReady: path === '/livez',
  handle: (): HealthResponseBody => ({ status: 'ok' }),
}));
