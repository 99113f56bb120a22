// Bounds the requests to a model of an endpoint that have no part of an answer yet. The endpoint may lead back to this
// server through a proxy that drops the header of the loop guard: then each request becomes another one, and none is
// ever answered. An answer to any of them shows that there is no loop, and lets as many others begin.

import { requestCanceled } from '../../base/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import { RemoteError } from './http/remote-error.ts';

interface Unanswered {
  /** Requests since the last answer, also those that have ended. */
  begun: number;
  /** Requests that have neither an answer nor an end. */
  running: number;
  readonly waiting: Set<() => void>;
}

interface BegunRequest {
  /** `isAnswered`: the endpoint has sent a part of an answer, or has refused the request. Called once. */
  end(isAnswered: boolean): void;
}

const maxUnanswered = 64;
const maxWaitMs = 30_000;
/**
 * Requests that end without an answer leave no place for others until all have ended, and a moment has passed. When the
 * caller of a loop leaves, its requests end one after the other, and the request at the other end must not go on.
 */
const pauseMs = 1000;

export class UnansweredLimit {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #entries = new Map<string, Unanswered>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Waits for a place. Throws `busy` if no request is answered for too long, and `cancelled` if the caller leaves. */
  async begin(key: string, remote: string, signal: AbortSignal): Promise<BegunRequest> {
    const entry = this.#entries.get(key) ?? { begun: 0, running: 0, waiting: new Set() };
    this.#entries.set(key, entry);
    while (entry.begun >= maxUnanswered) await this.#wait(entry, remote, signal);
    entry.begun++;
    entry.running++;
    return {
      end: (isAnswered) => {
        entry.running--;
        if (isAnswered) this.#reset(key, entry);
        else if (entry.running === 0) this.#clock.after(pauseMs, () => entry.running === 0 && this.#reset(key, entry));
      },
    };
  }

  #reset(key: string, entry: Unanswered): void {
    entry.begun = 0;
    const waiting = [...entry.waiting];
    for (const resume of waiting) resume();
    if (entry.running === 0 && waiting.length === 0) this.#entries.delete(key);
  }

  #wait(entry: Unanswered, remote: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        entry.waiting.delete(onWake);
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
        action();
      };
      const onWake = (): void => settle(resolve);
      const onAbort = (): void => settle(() => reject(requestCanceled()));
      const timer = this.#clock.after(maxWaitMs, () => settle(() => reject(noAnswers(remote))));
      entry.waiting.add(onWake);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function noAnswers(remote: string): RemoteError {
  const message = `the remote "${remote}" has answered none of ${maxUnanswered} requests for ${maxWaitMs / 1000} seconds: it has too much work, or leads back to this server`;
  return new RemoteError('busy', message, { outcome: 'busy' });
}
