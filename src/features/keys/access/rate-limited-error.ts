// A quota is used up.

import { HearthError } from '../../../base/errors.ts';

export class RateLimitedError extends HearthError {
  /** Sent as the header retry-after. */
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super('rate_limited', message);
    this.name = 'RateLimitedError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
