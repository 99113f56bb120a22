// The header Server-Timing of responses that ask a model: how long each part took, in milliseconds. Browsers and proxies
// show it. A stream has no such header, because its headers are sent first, and most clients do not read trailers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { nanosecondsPerMillisecond } from '../../base/time/duration.ts';

const digits = 3;

/** For responses that have not begun. */
export function addServerTiming({ report: { times } }: FastifyRequest, reply: FastifyReply, now: number): void {
  const parts = times.partsUntil(now);
  if (parts === undefined) return;
  const all = Object.entries({ ...parts, total: now - times.arrivedAt });
  const toEntry = ([name, nanoseconds]: [string, number]): string =>
    `${name};dur=${(nanoseconds / nanosecondsPerMillisecond).toFixed(digits)}`;
  void reply.header('server-timing', all.map(toEntry).join(', '));
}
