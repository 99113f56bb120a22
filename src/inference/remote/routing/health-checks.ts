// Checks endpoints in the background, one check at a time per endpoint, while there are requests.

import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { Endpoint } from '../endpoint.ts';
import type { CheckResult } from './endpoint-state.ts';
import { checkInterval, checkTimeout, idleTime } from './limits.ts';

/** Asks an endpoint for its health and its load. A rejection means that it is not healthy. */
export type CheckEndpoint = (endpoint: Endpoint, signal: AbortSignal) => Promise<CheckResult>;

interface HealthChecksOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly check: CheckEndpoint;
  readonly onResult: (id: string, result: CheckResult) => void;
}

interface Checked {
  readonly endpoint: Endpoint;
  /** The next check. Undefined while one runs, and while there are no requests. */
  timer?: Timer | undefined;
  /** Aborts the check that runs. */
  running?: AbortController | undefined;
  isRemoved: boolean;
}

export function createHealthChecks({ clock, random, check, onResult }: HealthChecksOptions) {
  const all = new Map<string, Checked>();
  let lastRequest = Number.NEGATIVE_INFINITY;
  const now = (): number => clock.monotonic() / nanosecondsPerMillisecond;

  async function run(checked: Checked): Promise<void> {
    checked.timer = undefined;
    checked.running = new AbortController();
    const result = await checkInTime(checked.endpoint, checked.running);
    checked.running = undefined;
    if (checked.isRemoved) return;
    onResult(checked.endpoint.id, result);
    plan(checked, checkInterval);
  }

  /** Never rejects. Ends in time even if the check ignores its signal. */
  function checkInTime(endpoint: Endpoint, running: AbortController): Promise<CheckResult> {
    const unhealthy: CheckResult = { isHealthy: false };
    const timer = clock.after(checkTimeout, () => running.abort());
    return new Promise<CheckResult>((resolve) => {
      running.signal.addEventListener('abort', () => resolve(unhealthy), { once: true });
      check(endpoint, running.signal).then(resolve, () => resolve(unhealthy));
    }).finally(() => timer.cancel());
  }

  function plan(checked: Checked, milliseconds: number): void {
    if (checked.timer !== undefined || checked.running !== undefined) return;
    if (now() - lastRequest > idleTime) return;
    checked.timer = clock.after(milliseconds * (0.75 + random() / 2), () => void run(checked));
  }

  function remove(checked: Checked): void {
    checked.isRemoved = true;
    checked.timer?.cancel();
    checked.running?.abort();
    all.delete(checked.endpoint.id);
  }

  return {
    add(endpoint: Endpoint): void {
      const checked: Checked = { endpoint, isRemoved: false };
      all.set(endpoint.id, checked);
      plan(checked, 0);
    },
    remove(id: string): void {
      const checked = all.get(id);
      if (checked) remove(checked);
    },
    /** A request was routed. */
    noteRequest(): void {
      lastRequest = now();
      for (const checked of all.values()) plan(checked, 0);
    },
    close(): void {
      for (const checked of [...all.values()]) remove(checked);
    },
  };
}
