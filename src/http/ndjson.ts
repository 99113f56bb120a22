// Streams of JSON objects, one a line. Each line is one write, so that a client that looks at network chunks finds
// whole objects in them.

import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { ErrorResponse } from '../api/error.ts';
import { toHearthError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { noteFailure } from '../kernel/request-scope.ts';

/**
 * Sends the objects as they come. An error before the first of them is thrown, for it can still have a status; a later
 * one becomes the last line.
 */
export async function sendNdjson(reply: FastifyReply, objects: AsyncIterable<object>, logger: Logger): Promise<void> {
  const iterator = objects[Symbol.asyncIterator]();
  let next = await iterator.next();
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), 'content-type': 'application/x-ndjson' });
  try {
    while (!next.done && !raw.destroyed) {
      if (!raw.write(`${JSON.stringify(next.value)}\n`)) await drained(raw);
      next = await iterator.next();
    }
  } catch (error) {
    const { code, message } = toHearthError(error);
    noteFailure(code);
    if (code !== 'cancelled') logger.error('a stream ended early', { code, error: message });
    if (!raw.destroyed) raw.write(`${JSON.stringify({ error: message } satisfies ErrorResponse)}\n`);
  } finally {
    await iterator.return?.();
    if (!raw.destroyed) raw.end();
  }
}

// A caller that has gone will never drain.
async function drained(raw: FastifyReply['raw']): Promise<void> {
  if (raw.destroyed) return;
  await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
}
