// When to try again, and when no more.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { maxAttempts } from '../limits.ts';

// Milliseconds.
const minPause = 100;
const firstPause = 500;
const maxPause = 30_000;

export interface RetryState {
  /** Attempts in a row that brought nothing, the last one included; zero: it brought something. */
  readonly failures: number;
  readonly maxAttempts: number;
  /** What the other side asks for, in milliseconds. */
  readonly retryAfter?: number;
  /** From 0 to 1, so that many who were cut off together do not come back together. */
  readonly random: number;
}

/** The pause before the next attempt, in milliseconds; undefined: there is none. */
export function planRetry({ failures, maxAttempts, retryAfter = 0, random }: RetryState): number | undefined {
  if (failures >= maxAttempts) return undefined;
  const pause = failures === 0 ? minPause : Math.min(firstPause * 2 ** (failures - 1), maxPause);
  return Math.max(pause * (0.5 + random), Math.min(retryAfter, maxPause));
}

interface FailureFacts {
  /** Another attempt would fail in the same way. */
  readonly final?: boolean;
  /** What the other side asks for before another attempt, in milliseconds. */
  readonly retryAfter?: number;
}

/** A failure of the library, with what it means for another attempt. */
export function registryFailure(message: string, facts: FailureFacts = {}): HearthError {
  return new HearthError('registry_failed', message, { cause: facts });
}

export function isRetryable(error: unknown): boolean {
  return error instanceof HearthError && error.code === 'registry_failed' && factsOf(error).final !== true;
}

export function retryAfterOf(error: unknown): number {
  return factsOf(error).retryAfter ?? 0;
}

function factsOf(error: unknown): FailureFacts {
  const cause = error instanceof HearthError ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null ? cause : {};
}

/** Resolves after the pause; throws `cancelled` at once when somebody has had enough. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(new HearthError('cancelled', 'the transfer was given up'));
    };
    const timer = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly maxAttempts?: number;
}

/** Tries until the attempt says that it is done: for as long as something comes, and a few times more. */
export async function retryUntilDone(
  { clock, signal, maxAttempts: limit = maxAttempts }: RetryOptions,
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

/** Undefined: it is done. Failures that no attempt can mend are thrown. */
async function failureIn(attempt: () => Promise<boolean>): Promise<unknown> {
  try {
    return (await attempt()) ? undefined : registryFailure('the library gives only a part of what it was asked for');
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return error;
  }
}
