// Sessions that several servers share, with a copy in memory. A session is stored before its cookie is sent.

import type { SharedSession, SharedSessionStore, SharedState } from '../../../base/state/shared-state.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { KeyRecord } from './key-record.ts';
import {
  nameOfSession,
  newSessionValue,
  type Session,
  type SessionHome,
  Sessions,
  sessionLimits,
  sessionSeconds,
} from './sessions.ts';

export class SharedSessions implements SessionHome {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known: Sessions;
  readonly #store: SharedSessionStore;

  constructor(state: Pick<SharedState, 'declareSessions'>, clock: Pick<Clock, 'now'>) {
    const known = new Sessions(clock);
    const add = ({ name, key: id, hash, expiresAt }: SharedSession): void => known.add(name, { id, hash, expiresAt });
    this.#clock = clock;
    this.#known = known;
    this.#store = state.declareSessions({
      onAdded: add,
      onEnded: (name) => known.endNamed(name),
      onAll(sessions) {
        const names = new Set(sessions.map(({ name }) => name));
        for (const name of known.names()) if (!names.has(name)) known.endNamed(name);
        for (const session of sessions) add(session);
      },
    });
  }

  async open({ id: key, hash }: Pick<KeyRecord, 'id' | 'hash'>): Promise<string> {
    const value = newSessionValue();
    const expiresAt = this.#clock.now() + sessionSeconds * 1000;
    await this.#store.add({ name: nameOfSession(value), key, hash, expiresAt }, sessionLimits);
    return value;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  find(value: string): Session | undefined {
    return this.#known.find(value);
  }

  end(value: string): Promise<void> {
    return this.#store.end(nameOfSession(value));
  }
}
