// `keep_alive`: how long a model stays loaded after a request.

import { HearthError } from '../base/errors.ts';
import { nanosecondsPerMillisecond, parseDuration } from '../base/time/duration.ts';

/** Milliseconds, Infinity for ever. A number counts seconds, a text is a Go duration, negative is for ever. */
export function parseKeepAlive(value: unknown): number {
  if (typeof value === 'number') return value < 0 ? Number.POSITIVE_INFINITY : value * 1000;
  if (typeof value === 'string') {
    const nanoseconds = parseDuration(value);
    return nanoseconds < 0 ? Number.POSITIVE_INFINITY : nanoseconds / nanosecondsPerMillisecond;
  }
  const given = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  const message = `keep_alive must be a number of seconds or a duration such as "5m", not ${given}`;
  throw new HearthError('bad_request', message);
}
