// GET and HEAD /: clients look here to see whether a server is running, and compare the text.

import type { Route } from '../../../http/route.ts';

export const rootRoute: Route = {
  method: 'GET',
  path: '/',
  summary: 'Says that a server runs here',
  handle: (_request, reply) => reply.type('text/plain; charset=utf-8').send('Ollama is running'),
};
