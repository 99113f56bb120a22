// Quotas of keys: requests per minute that run a model, and tokens per day (UTC). Tokens are counted when a request ends,
// so the last request of a day may exceed the quota. They are kept in a file, so that a restart does not give them back.

import { readFileSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { KeyRecord } from './key-record.ts';
import { RateLimitedError } from './rate-limited-error.ts';

interface QuotaOptions {
  /** The file with the tokens of this day. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Bucket {
  /** Requests that may still be made now. */
  left: number;
  /** When `left` was computed, on the monotonic clock. */
  at: number;
}

const dayMilliseconds = 86_400_000;
const writeDelayMs = 1000;

export function createQuotas({ path, clock, logger }: QuotaOptions) {
  const buckets = new Map<string, Bucket>();
  let { day, tokens } = readTokens(path, logger);
  let timer: Timer | undefined;
  let writing = Promise.resolve();
  let isFailing = false;

  const tokensOfToday = (): Map<string, number> => {
    const today = Math.floor(clock.now() / dayMilliseconds);
    if (today !== day) {
      day = today;
      tokens = new Map();
    }
    return tokens;
  };
  /** The servers of a cluster share a file of keys that they cannot write next to. One line in the log is enough. */
  const noteFailure = (error: unknown): void => {
    if (!isFailing) logger.warn('could not write the quotas', { reason: messageOf(error) });
    isFailing = true;
  };
  const write = (): void => {
    timer?.cancel();
    timer = undefined;
    const text = `${JSON.stringify({ day, tokens: Object.fromEntries(tokens) })}\n`;
    writing = writing
      .then(() => replaceFile(path, text))
      .then(() => {
        isFailing = false;
      }, noteFailure);
  };

  return {
    /** Counts a request; throws `rate_limited` if there were too many in the last minute. */
    countRequest({ id, name, requestsPerMinute }: KeyRecord): void {
      if (requestsPerMinute === undefined) return;
      const now = clock.monotonic();
      const perNanosecond = requestsPerMinute / (60 * nanosecondsPerSecond);
      const bucket = buckets.get(id) ?? { left: requestsPerMinute, at: now };
      buckets.set(id, bucket);
      bucket.left = Math.min(requestsPerMinute, bucket.left + (now - bucket.at) * perNanosecond);
      bucket.at = now;
      if (bucket.left < 1) {
        const seconds = Math.ceil((1 - bucket.left) / perNanosecond / nanosecondsPerSecond);
        const message = `the key "${name}" may send ${requestsPerMinute} requests per minute; try again in ${seconds} s`;
        throw new RateLimitedError(message, seconds);
      }
      bucket.left -= 1;
    },
    /** Throws `rate_limited` if the tokens of this day are used up. */
    checkTokens({ id, name, tokensPerDay }: KeyRecord): void {
      if (tokensPerDay === undefined || (tokensOfToday().get(id) ?? 0) < tokensPerDay) return;
      const seconds = Math.ceil(((day + 1) * dayMilliseconds - clock.now()) / 1000);
      const message = `the key "${name}" has used its ${tokensPerDay} tokens of this day; the next day begins at 00:00 UTC`;
      throw new RateLimitedError(message, seconds);
    },
    addTokens(id: string, added: number): void {
      const today = tokensOfToday();
      today.set(id, (today.get(id) ?? 0) + added);
      timer ??= clock.after(writeDelayMs, write);
    },
    /** Writes what is not written yet. */
    async close(): Promise<void> {
      if (timer) write();
      await writing;
    },
  };
}

export type Quotas = ReturnType<typeof createQuotas>;

interface TokensOfDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly tokens: Map<string, number>;
}

function readTokens(path: string, logger: Logger): TokensOfDay {
  try {
    const { day, tokens } = JSON.parse(readFileSync(path, 'utf8')) as { day: unknown; tokens: unknown };
    const entries = Object.entries(tokens as Record<string, unknown>);
    if (typeof day !== 'number' || !entries.every(([, count]) => Number.isFinite(count))) throw new Error('not valid');
    return { day, tokens: new Map(entries as [string, number][]) };
  } catch (error) {
    // A damaged file must not lock everyone out; it gives back the tokens of one day.
    if (systemCodeOf(error) !== 'ENOENT') logger.warn(`could not read ${path}`, { reason: messageOf(error) });
    return { day: 0, tokens: new Map() };
  }
}
