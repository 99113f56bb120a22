// Sends objects as a stream. Each object is one write: some clients expect every network chunk to hold complete objects.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { systemReasonOf, toHearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import { pause } from '../../../base/time/pause.ts';
import { type ApiDialect, isServerError } from '../dialect.ts';
import { framingOf } from '../message-request.ts';
import { withCancelReason } from '../requests.ts';

// Characters that are written ahead of a client that reads slowly. A finished answer up to this size leaves the engine at
// once, so that its model is free.
const maxUnread = 2 ** 20;

/** Sends the headers, if they are not sent, and nothing else: the next object may take long. */
export const headersOnly: object = {};

export interface SendStreamOptions {
  readonly dialect: ApiDialect;
  readonly logger: Logger;
  /** The headers do not wait for the first object. */
  readonly headersFirst?: boolean;
  /** Between two objects. Absent: there is no gap. */
  readonly spacing?: Spacing;
}

/**
 * An error before the first object is thrown, so that it still gets a status, unless the headers are sent first. A later
 * one ends the stream.
 */
export async function sendStream(
  reply: FastifyReply,
  objects: AsyncIterable<object>,
  { dialect, logger, headersFirst = false, spacing }: SendStreamOptions,
): Promise<void> {
  const framing = framingOf(reply.request, dialect);
  const { scope, report } = reply.request;
  const iterator = objects[Symbol.asyncIterator]();
  const first = headersFirst ? undefined : await iterator.next();
  const raw = writeHeaders(reply, framing);
  if (headersFirst) raw.flushHeaders();
  try {
    await sendObjects(raw, framing, { first: first ?? (await iterator.next()), iterator, spacing });
  } catch (thrown) {
    const error = toHearthError(withCancelReason(thrown, scope.signal));
    report.fail(error.code);
    if (isServerError(dialect, error.code)) {
      const { code, message } = error;
      logger.error('stream failed', { code, error: message, system: systemReasonOf(error) });
    }
    if (!raw.destroyed) raw.write(framing.frameError(error, scope.id));
  } finally {
    await iterator.return?.();
    if (!raw.destroyed) raw.end();
  }
}

function writeHeaders(reply: FastifyReply, { contentType, headers }: ApiDialect['framing']): FastifyReply['raw'] {
  reply.hijack();
  const sentBefore = reply.getHeaders() as Record<string, string>;
  return reply.raw.writeHead(200, { ...sentBefore, ...headers, 'content-type': contentType });
}

interface StreamedObjects {
  readonly first: IteratorResult<object>;
  /** Yields the objects after the first. */
  readonly iterator: AsyncIterator<object>;
  readonly spacing: Spacing | undefined;
}

async function sendObjects(
  raw: FastifyReply['raw'],
  { frame, end }: ApiDialect['framing'],
  { first, iterator, spacing }: StreamedObjects,
): Promise<void> {
  for (let next = first; !next.done; next = await iterator.next()) {
    if (next.value === headersOnly) {
      raw.flushHeaders();
      continue;
    }
    const gap = spacing?.wait();
    if (gap) await gap;
    if (raw.destroyed) return;
    // To wait for every write would cost a promise for each.
    if (!write(raw, frame(next.value))) await drained(raw);
    spacing?.begin();
  }
  if (end !== '' && !raw.destroyed) raw.write(end);
}

/** False: the client reads slowly. */
function write(raw: FastifyReply['raw'], text: string): boolean {
  // A connection that was closed never drains.
  return raw.write(text) || raw.writableLength <= maxUnread || raw.destroyed;
}

async function drained(raw: FastifyReply['raw']): Promise<void> {
  await Promise.race([once(raw, 'drain'), once(raw, 'close')]);
}

// Keeps a gap between the objects of a stream. Some clients parse each network read as one object, and fail on a read
// with two; the last text and the final object often come together. Streams with two objects in one read, measured with
// fetch on two busy cores: 11 of 120 without a gap, 7 of 120 with 1 ms, 1 of 240 with 5 ms.
// Tokens usually take longer than this, so only the final object is delayed.
const minGapMs = 5;

export class Spacing {
  readonly #clock: Clock;
  #dueMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined if the gap has passed: a time costs less than a timer, or a promise, for each object. */
  wait(): Promise<void> | undefined {
    const gapMs = this.#dueMs - this.#nowMs();
    // A timer has whole milliseconds.
    return gapMs > 0 ? pause(this.#clock, Math.ceil(gapMs)) : undefined;
  }

  /** An object was sent. */
  begin(): void {
    this.#dueMs = this.#nowMs() + minGapMs;
  }

  #nowMs(): number {
    return this.#clock.monotonic() / nanosecondsPerMillisecond;
  }
}

// Detects clients that do not read their response. Everything that is written must reach the client within a time that
// depends on its size; one byte now and then is not enough.

interface WatchReaderOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly onStall: () => void;
}

// Bytes per millisecond that a client must read in addition to the timeoutMs: a large response is one write.
const minRate = 256;
const checksPerTimeout = 4;

/** Returns a function that ends the watch. */
export function watchReader(socket: Socket, { clock, timeoutMs, onStall }: WatchReaderOptions): () => void {
  const now = (): number => clock.monotonic() / nanosecondsPerMillisecond;
  const setGoal = () => ({ bytes: socket.bytesWritten, due: now() + timeoutMs + socket.writableLength / minRate });
  let goal = setGoal();
  const check = (): void => {
    if (socket.bytesWritten - socket.writableLength >= goal.bytes) goal = setGoal();
    if (now() < goal.due) timer = clock.after(timeoutMs / checksPerTimeout, check);
    else onStall();
  };
  let timer = clock.after(timeoutMs / checksPerTimeout, check);
  return () => timer.cancel();
}
