// Asks the provider at intervals whether users still have access. Only users who have a session or a key of their own are
// asked about: the others must sign in again anyway.

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import { ProviderError } from './provider/provider-error.ts';
import type { SignIn } from './sign-in.ts';
import type { UserRecord } from './users/user-record.ts';

interface UserRefreshOptions {
  readonly signIn: Pick<SignIn, 'users' | 'refresh'>;
  readonly intervalMs: number;
  /** Whether the user has a session or a key. */
  readonly isActive: (id: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

const questionsAtOnce = 4;
/** A part of the interval: another server may have asked a little later than this one did the last time. */
const minAge = 0.9;
/** A provider that is down is not asked about everybody: each question may take seconds. */
const maxFailures = 8;

export class UserRefresh {
  readonly #options: UserRefreshOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: UserRefreshOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, intervalMs } = this.#options;
    if (this.#isStopped || !Number.isFinite(intervalMs)) return;
    this.#timer = clock.after(intervalMs, () => void this.run().finally(() => this.start()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { signIn, intervalMs, isActive, logger } = this.#options;
    const waiting = signIn.users.list().filter(({ id, blocked }) => !blocked && isActive(id));
    const users = waiting.length;
    let failures = 0;
    let reason = '';
    const ask = async (user: UserRecord): Promise<void> => {
      try {
        // Servers that share users share the questions: a provider may accept each refresh token once.
        if (await signIn.users.claim(user.id, intervalMs * minAge)) await signIn.refresh(user);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind === 'unavailable') failures++;
        reason = messageOf(error);
      }
    };
    const work = async (): Promise<void> => {
      for (let user = waiting.shift(); user !== undefined; user = waiting.shift()) {
        if (this.#isStopped || failures >= maxFailures) return;
        await ask(user);
      }
    };
    await Promise.all(Array.from({ length: questionsAtOnce }, work));
    if (reason !== '') logger.warn('the provider did not confirm all users', { reason });
    logger.debug('asked the provider about its users', { users });
  }
}
