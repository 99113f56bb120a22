// GET and HEAD /. Clients check here whether a server is running, and compare the text.

import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../dialect.ts';

export const rootRoute: Route = {
  dialect: ollamaDialect,
  method: 'GET',
  scope: 'open',
  path: '/',
  tag: 'Server',
  summary: 'Check that the server is running',
  polled: true,
  beforeReady: true,
  handle: (_request, reply) => reply.type('text/plain; charset=utf-8').send('Ollama is running'),
};
