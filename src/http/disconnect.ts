// Tells the work behind a request when its caller has gone.

import { setMaxListeners } from 'node:events';
import type { FastifyReply } from 'fastify';

export function abortOnDisconnect(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // One request can ask for many answers, and each of them listens.
  setMaxListeners(0, controller.signal);
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
