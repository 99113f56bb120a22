// The errors of callers that do not get a model, and the backoff after a crash.

import { HearthError } from '../../../base/errors.ts';
import {
  type CallerState,
  type CrashState,
  type ResidencyLimits,
  type ResidencyState,
  waitingIn,
} from './residency-state.ts';

/** A temporary error. */
type RetryableError = HearthError & { readonly retryAfterSeconds: number };

const maxRetry = 60;

/**
 * Suggests to retry after the time that the queue needs, at the rate at which its requests have begun. Before the first
 * two, that is the time that the first caller has waited.
 */
export function busyError(
  { models, callers, at }: Pick<ResidencyState, 'models' | 'callers'> & { readonly at: number },
  key: string,
): RetryableError {
  const waiting = waitingIn({ callers: callers.filter((caller) => caller.key === key) });
  const paceMs = models.find((model) => model.key === key)?.paceMs;
  const waitMs = paceMs === undefined ? at - (waiting[0]?.since ?? at) : paceMs * waiting.length;
  const retryAfterSeconds = Math.min(Math.max(Math.ceil(waitMs / 1000), 1), maxRetry);
  // The two spaces are part of Ollama's text, which clients match.
  const text = 'server busy, please try again.  maximum pending requests exceeded';
  return Object.assign(new HearthError('busy', text), { retryAfterSeconds });
}

export function closingError(): HearthError {
  return new HearthError('shutting_down', 'the server is shutting down');
}

export function tooLargeError({ memoryBudget }: ResidencyLimits, bytes: number): HearthError | undefined {
  if (bytes <= memoryBudget) return undefined;
  const [needed, available] = [bytes, memoryBudget].map((value) => `${(value / 2 ** 30).toFixed(1)} GiB`);
  return new HearthError(
    'load_failed',
    `model requires more system memory (${needed}) than is available (${available})`,
  );
}

const minBackoffMs = 1000;
const maxBackoff = 60_000;

/** Only loads with the same options are delayed: other options may work. */
export function recordCrash(
  crashes: readonly CrashState[],
  { key, fingerprint }: Pick<CallerState, 'key' | 'fingerprint'>,
  error: HearthError,
  at: number,
): CrashState[] {
  const count = 1 + (crashes.find((crash) => isOf(crash, { key, fingerprint }))?.count ?? 0);
  const until = at + Math.min(minBackoffMs * 2 ** (count - 1), maxBackoff);
  // Old entries are dropped, so the list does not grow.
  const recent = clearCrash(crashes, { key, fingerprint }).filter((crash) => crash.until + 10 * maxBackoff > at);
  return [...recent, { key, fingerprint, count, until, error }];
}

export function clearCrash(
  crashes: readonly CrashState[],
  load: Pick<CallerState, 'key' | 'fingerprint'>,
): CrashState[] {
  return crashes.filter((crash) => !isOf(crash, load));
}

/** The error of the last crash of such a load, until the next attempt is allowed. */
export function crashError(
  { crashes, at }: { readonly crashes: readonly CrashState[]; readonly at: number },
  load: Pick<CallerState, 'key' | 'fingerprint'>,
): HearthError | undefined {
  const crash = crashes.find((candidate) => isOf(candidate, load));
  if (crash === undefined || at >= crash.until) return undefined;
  return new HearthError(crash.error.code, crash.error.message, { cause: crash.error });
}

function isOf(crash: CrashState, { key, fingerprint }: Pick<CallerState, 'key' | 'fingerprint'>): boolean {
  return crash.key === key && crash.fingerprint === fingerprint;
}
