// `keep_alive`: how long a model stays loaded after a request.

import { HearthError } from '../base/errors.ts';
import { nanosecondsPerMillisecond, parseDuration } from '../base/time/duration.ts';

/** Milliseconds. A number is in seconds, a string is a Go duration; negative values mean forever (Infinity). */
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
