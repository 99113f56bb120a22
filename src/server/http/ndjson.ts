// Streams of JSON objects, one a line. Each line is one write, so that a client that looks at network chunks finds
// whole objects in them.

import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { toHearthError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { noteFailure } from '../../base/request-scope.ts';
import type { ErrorResponse } from '../dialects/ollama/error-schema.ts';

/** How objects become bytes. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>;
  readonly frame: (object: object) => string;
  readonly frameError: (error: unknown) => string;
  /** What stands behind the last object, if nothing went wrong. */
  readonly end: string;
}

const line = (object: object): string => `${JSON.stringify(object)}\n`;

const lines: Framing = {
  headers: { 'content-type': 'application/x-ndjson' },
  frame: line,
  frameError: (error) => line({ error: toHearthError(error).message } satisfies ErrorResponse),
  end: '',
};

export function sendNdjson(reply: FastifyReply, objects: AsyncIterable<object>, logger: Logger): Promise<void> {
  return sendFramed(reply, objects, lines, logger);
}

/**
 * Sends the objects as they come. An error before the first of them is thrown, for it can still have a status; a later
 * one is the last of them.
 */
export async function sendFramed(
  reply: FastifyReply,
  objects: AsyncIterable<object>,
  { headers, frame, frameError, end }: Framing,
  logger: Logger,
): Promise<void> {
  const iterator = objects[Symbol.asyncIterator]();
  let next = await iterator.next();
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers });
  try {
    while (!next.done && !raw.destroyed) {
      if (!raw.write(frame(next.value))) await drained(raw);
      next = await iterator.next();
    }
    if (end !== '' && !raw.destroyed) raw.write(end);
  } catch (error) {
    const { code, message } = toHearthError(error);
    noteFailure(code);
    if (code !== 'cancelled') logger.error('a stream ended early', { code, error: message });
    if (!raw.destroyed) raw.write(frameError(error));
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
