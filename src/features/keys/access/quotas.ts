// Quotas of keys: requests per minute that run a model, and tokens per day (UTC). What a request will probably use is
// reserved before it begins, so that many at once do not exceed the quota together. Tokens are counted while they are
// generated, and the answer ends with the quota. Only a prompt can exceed it: its tokens are known when it is evaluated.
// Counts are kept in a file, so that a restart does not give them back.

import { readFileSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ExpectedTokens, TokenMeter } from '../../../base/request/token-meter.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { KeyRecord } from './key-record.ts';
import { allTokensReserved, allTokensUsed, tooManyRequests } from './rate-limited-error.ts';

export interface Quotas {
  /** Counts a request; throws `rate_limited` if there were too many in the last minute. */
  countRequest(key: KeyRecord): void | Promise<void>;
  /** Throws `rate_limited` if the tokens of this day are used up, or if running requests may use the rest. */
  openMeter(key: MeteredKey, expected: ExpectedTokens): TokenMeter | Promise<TokenMeter>;
  tokensToday(id: string): number | Promise<number>;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

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
  /** Tokens that running requests may still use, by key. */
  const reserved = new Map<string, number>();
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

  const used = (id: string): number => tokensOfToday().get(id) ?? 0;
  const add = (id: string, tokens: number): void => {
    tokensOfToday().set(id, used(id) + tokens);
    timer ??= clock.after(writeDelayMs, write);
  };

  return {
    countRequest(key: KeyRecord): void {
      const { id, requestsPerMinute } = key;
      if (requestsPerMinute === undefined) return;
      const now = clock.monotonic();
      const perNanosecond = requestsPerMinute / (60 * nanosecondsPerSecond);
      const bucket = buckets.get(id) ?? { left: requestsPerMinute, at: now };
      buckets.set(id, bucket);
      bucket.left = Math.min(requestsPerMinute, bucket.left + (now - bucket.at) * perNanosecond);
      bucket.at = now;
      if (bucket.left < 1) throw tooManyRequests(key, (1 - bucket.left) / perNanosecond / nanosecondsPerSecond);
      bucket.left -= 1;
    },
    openMeter(key: MeteredKey, expected: ExpectedTokens): TokenMeter {
      const { id, tokensPerDay = Number.POSITIVE_INFINITY } = key;
      const left = (): number => tokensPerDay - used(id) - (reserved.get(id) ?? 0);
      if (used(id) >= tokensPerDay) throw allTokensUsed(key, clock.now());
      const likely = likelyTokens(expected);
      // A request that is alone may use what is left, and ends with it.
      if (left() < likely && reserved.has(id)) throw allTokensReserved(key);
      let held = 0;
      const hold = (tokens: number): void => {
        const total = (reserved.get(id) ?? 0) - held + tokens;
        held = tokens;
        if (total > 0) reserved.set(id, total);
        else reserved.delete(id);
      };
      const most = Math.min(left(), likely);
      hold(most);
      let counted = 0;
      return {
        count(tokens) {
          if (tokens > counted) add(id, tokens - counted);
          counted = Math.max(counted, tokens);
          hold(Math.max(0, most - counted));
          return held > 0 || left() >= 1;
        },
        close: () => hold(0),
      };
    },
    tokensToday: used,
    async close(): Promise<void> {
      if (timer) write();
      await writing;
    },
  };
}

export type MeteredKey = Pick<KeyRecord, 'id' | 'name' | 'tokensPerDay'>;

// For an answer that has no limit.
const usualAnswerTokens = 1024;
const templateTokens = 32;
const bytesPerToken = 3;
const tokensPerImage = 1024;

export function likelyTokens({ promptBytes, images = 0, answerTokens = usualAnswerTokens }: ExpectedTokens): number {
  return templateTokens + Math.ceil(promptBytes / bytesPerToken) + images * tokensPerImage + answerTokens;
}

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
