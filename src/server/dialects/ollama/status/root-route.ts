// GET and HEAD /. Clients check here whether a server is running, and compare the text. Browsers get the web page.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';

/** `sendPage` is absent if the page is switched off. */
export function rootRoute(sendPage?: (request: FastifyRequest, reply: FastifyReply) => unknown): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'open',
    path: '/',
    tag: 'Server',
    summary: 'Check that the server is running',
    polled: true,
    beforeReady: true,
    handle(request, reply) {
      if (sendPage !== undefined && request.headers.accept?.includes('text/html')) return sendPage(request, reply);
      return reply.type('text/plain; charset=utf-8').header('vary', 'Accept, Origin').send('Ollama is running');
    },
  };
}
