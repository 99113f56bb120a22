// Why a caller does not get its model: the texts, and how long to stay away.

import { HearthError } from '../../../base/errors.ts';
import {
  type CallerState,
  type CrashState,
  type ResidencyLimits,
  type ResidencyState,
  waitingIn,
} from './residency-state.ts';

/** An error that passes with time. */
export type PassingError = HearthError & { readonly retryAfterSeconds: number };

const maxRetry = 60;

/** Whoever came first among those who wait has waited for so long: the queue has moved on when that has passed again. */
export function busyError(state: Pick<ResidencyState, 'callers'>, at: number): PassingError {
  const waited = at - (waitingIn(state)[0]?.since ?? at);
  const retryAfterSeconds = Math.min(Math.max(Math.ceil(waited / 1000), 1), maxRetry);
  // The two blanks are part of the text that clients know.
  const text = 'server busy, please try again.  maximum pending requests exceeded';
  return Object.assign(new HearthError('busy', text), { retryAfterSeconds });
}

export function closingError(): HearthError {
  return new HearthError('shutting_down', 'the server is shutting down');
}

export function tooLargeError({ memoryBudget }: ResidencyLimits, bytes: number): HearthError | undefined {
  if (bytes <= memoryBudget) return undefined;
  const [needed, available] = [bytes, memoryBudget].map((figure) => `${(figure / 2 ** 30).toFixed(1)} GiB`);
  return new HearthError(
    'load_failed',
    `model requires more system memory (${needed}) than is available (${available})`,
  );
}

// Milliseconds.
const minBackoff = 1000;
const maxBackoff = 60_000;

/** The crash counts for loads of the same kind only: with other options it may go well. */
export function noteCrash(
  crashes: readonly CrashState[],
  { key, fingerprint }: Pick<CallerState, 'key' | 'fingerprint'>,
  error: HearthError,
  at: number,
): CrashState[] {
  const count = 1 + (crashes.find((crash) => isOf(crash, { key, fingerprint }))?.count ?? 0);
  const until = at + Math.min(minBackoff * 2 ** (count - 1), maxBackoff);
  // What lies long back is forgotten, so that the list does not grow.
  const recent = forgetCrash(crashes, { key, fingerprint }).filter((crash) => crash.until + 10 * maxBackoff > at);
  return [...recent, { key, fingerprint, count, until, error }];
}

export function forgetCrash(
  crashes: readonly CrashState[],
  load: Pick<CallerState, 'key' | 'fingerprint'>,
): CrashState[] {
  return crashes.filter((crash) => !isOf(crash, load));
}

/** What the last load of this kind died of, as long as no other is to be tried. */
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
