// `keep_alive`: how long a model stays loaded after a request. A request has it, otherwise the parameters of the model,
// otherwise the settings.

import { HearthError } from '../base/errors.ts';
import { nanosecondsPerMillisecond, parseDuration } from '../base/time/duration.ts';

// The longest duration that fits into Go's 64 bits of nanoseconds. Longer ones have no valid end time.
const maxKeepAliveMs = 2 ** 63 / nanosecondsPerMillisecond;

/**
 * Milliseconds. A number is in seconds, a string is a Go duration. Negative values and values beyond Go's range mean
 * forever (Infinity).
 */
export function parseKeepAlive(value: unknown): number {
  if (typeof value === 'number') return clamp(value * 1000);
  if (typeof value === 'string') return clamp(parseDuration(value) / nanosecondsPerMillisecond);
  const given = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  const message = `keep_alive must be a number of seconds or a duration such as "5m", not ${given}`;
  throw new HearthError('bad_request', message);
}

/** The name in a Modelfile and in the params layer. It is no option: requests have it outside of `options`. */
export const keepAliveParameter = 'keep_alive';

/** Milliseconds; undefined if the parameters of a model do not say it. Throws for an invalid value. */
export function keepAliveIn(parameters: Readonly<Record<string, unknown>>): number | undefined {
  const value = parameters[keepAliveParameter];
  return value === undefined || value === null ? undefined : parseKeepAlive(value);
}

function clamp(milliseconds: number): number {
  return milliseconds < 0 || milliseconds >= maxKeepAliveMs ? Number.POSITIVE_INFINITY : milliseconds;
}
