// Retries with exponential backoff.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { maxAttempts } from './limits.ts';

const minPauseMs = 100;
const firstPauseMs = 500;
const maxPauseMs = 30_000;

interface RetryState {
  /** Consecutive attempts without progress, including the last one. */
  readonly failures: number;
  readonly maxAttempts: number;
  /** Requested by the registry, in milliseconds. */
  readonly retryAfter?: number;
  /** Jitter from 0 to 1, so that clients that failed together do not retry together. */
  readonly random: number;
}

/** The pause before the next attempt, in milliseconds; undefined if there is none. */
export function planRetry({ failures, maxAttempts, retryAfter = 0, random }: RetryState): number | undefined {
  if (failures >= maxAttempts) return undefined;
  const pause = failures === 0 ? minPauseMs : Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs);
  return Math.max(pause * (0.5 + random), Math.min(retryAfter, maxPauseMs));
}

interface RetryHint {
  /** Another attempt would fail in the same way. */
  readonly final?: boolean;
  /** Requested by the registry, in milliseconds. */
  readonly retryAfter?: number;
}

/** A `registry_failed` error with a hint for retries. */
export function registryFailure(message: string, hint: RetryHint = {}): HearthError {
  return new HearthError('registry_failed', message, { cause: hint });
}

export function isRetryable(error: unknown): boolean {
  return error instanceof HearthError && error.code === 'registry_failed' && hintOf(error).final !== true;
}

function retryAfterOf(error: unknown): number {
  return hintOf(error).retryAfter ?? 0;
}

function hintOf(error: unknown): RetryHint {
  const cause = error instanceof HearthError ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null ? cause : {};
}

/** Throws `cancelled` at once when aborted. */
function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(new HearthError('cancelled', 'the transfer was canceled'));
    };
    const timer = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Repeats the attempt until it returns true. Progress resets the number of failures. */
export async function retryUntilDone(
  {
    clock,
    signal,
    maxAttempts: limit = maxAttempts,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly maxAttempts?: number },
  attempt: () => Promise<boolean>,
  progress: () => number = () => 0,
): Promise<void> {
  for (let failures = 0; ; ) {
    const before = progress();
    const failure = await failureIn(attempt);
    if (failure === undefined) return;
    failures = progress() > before ? 0 : failures + 1;
    const pause = planRetry({
      failures,
      maxAttempts: limit,
      retryAfter: retryAfterOf(failure),
      random: Math.random(),
    });
    if (pause === undefined) throw registryFailure(`max retries exceeded: ${messageOf(failure)}`, { final: true });
    await sleep(clock, pause, signal);
  }
}

/** Undefined if the attempt is done. Throws errors that a retry cannot fix. */
async function failureIn(attempt: () => Promise<boolean>): Promise<unknown> {
  try {
    return (await attempt()) ? undefined : registryFailure('the registry sent only a part of the requested data');
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return error;
  }
}
