// A quota is used up.

import { HearthError } from '../../../base/errors.ts';
import type { KeyRecord } from './key-record.ts';

export class RateLimitedError extends HearthError {
  /** Sent as the header retry-after. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super('rate_limited', message);
    this.name = 'RateLimitedError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const dayMilliseconds = 86_400_000;
const retryWhileRunningSeconds = 2;

type LimitedKey = Pick<KeyRecord, 'name' | 'tokensPerDay' | 'requestsPerMinute'>;

export function tooManyRequests({ name, requestsPerMinute }: LimitedKey, waitSeconds: number): RateLimitedError {
  const seconds = Math.ceil(waitSeconds);
  const message = `the key "${name}" may send ${requestsPerMinute} requests per minute; try again in ${seconds} s`;
  return new RateLimitedError(message, seconds);
}

/** `now`: milliseconds since the epoch. */
export function allTokensUsed({ name, tokensPerDay }: LimitedKey, now: number): RateLimitedError {
  const seconds = Math.ceil((dayMilliseconds - (now % dayMilliseconds)) / 1000);
  const message = `the key "${name}" has used its ${tokensPerDay} tokens of this day; the next day begins at 00:00 UTC`;
  return new RateLimitedError(message, seconds);
}

export function allTokensReserved({ name, tokensPerDay }: LimitedKey): RateLimitedError {
  const message = `the running requests of the key "${name}" may use the rest of its ${tokensPerDay} tokens of this day; try again when they have ended`;
  return new RateLimitedError(message, retryWhileRunningSeconds);
}
