// Sessions of web pages: a cookie that scripts cannot read stands for a key or a user. Sessions are in memory, so a restart ends
// them, unless servers share them. A session is valid as long as its key is.

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { KeyRecord } from './key-record.ts';

const sessionCookie = 'hearth_session';

export interface Session {
  /** The key's id. */
  readonly id: string;
  /** The key's hash: a rotated key ends its sessions. */
  readonly hash: string;
}

/** A key that signs in again and again ends its own sessions, not those of others. */
export const sessionLimits = { all: 10_000, perKey: 100 } as const;
export const sessionSeconds = 7 * 24 * 60 * 60;

/** Where sessions are. */
export interface SessionHome {
  /** Returns the value of the cookie. */
  open(key: Pick<KeyRecord, 'id' | 'hash'>): string | Promise<string>;
  /** Whether the key has a session that has not expired. */
  has(id: string): boolean;
  find(value: string): Session | undefined;
  end(value: string): void | Promise<void>;
}

export class Sessions implements SessionHome {
  readonly #clock: Pick<Clock, 'now'>;
  // By the hash of the value: the time of a lookup says nothing about values that exist. The oldest is the first.
  readonly #sessions = new Map<string, Session & { readonly expiresAt: number }>();
  // The names of the sessions of each key, the oldest first.
  readonly #namesOf = new Map<string, Set<string>>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  open({ id, hash }: Pick<KeyRecord, 'id' | 'hash'>): string {
    const value = newSessionValue();
    this.add(nameOfSession(value), { id, hash, expiresAt: this.#clock.now() + sessionSeconds * 1000 });
    return value;
  }

  /** `name`: the hash of the value. */
  add(name: string, session: Session & { readonly expiresAt: number }): void {
    if (this.#sessions.has(name)) return;
    const { id } = session;
    const own = this.#namesOf.get(id) ?? new Set();
    if (own.size >= sessionLimits.perKey) this.#endOldest(own);
    else if (this.#sessions.size >= sessionLimits.all) this.#endOldest(this.#mostNames());
    own.add(name);
    this.#namesOf.set(id, own);
    this.#sessions.set(name, session);
  }

  has(id: string): boolean {
    const now = this.#clock.now();
    return [...(this.#namesOf.get(id) ?? [])].some((name) => (this.#sessions.get(name)?.expiresAt ?? 0) > now);
  }

  find(value: string): Session | undefined {
    const session = this.#sessions.get(nameOfSession(value));
    return session !== undefined && session.expiresAt > this.#clock.now() ? session : undefined;
  }

  end(value: string): void {
    this.endNamed(nameOfSession(value));
  }

  names(): string[] {
    return [...this.#sessions.keys()];
  }

  endNamed(name: string): void {
    const id = this.#sessions.get(name)?.id ?? '';
    const names = this.#namesOf.get(id);
    this.#sessions.delete(name);
    names?.delete(name);
    if (names?.size === 0) this.#namesOf.delete(id);
  }

  #endOldest(names: ReadonlySet<string>): void {
    const [oldest] = names;
    if (oldest !== undefined) this.endNamed(oldest);
  }

  /** The sessions of the key that has the most. */
  #mostNames(): ReadonlySet<string> {
    let most: ReadonlySet<string> = new Set();
    for (const names of this.#namesOf.values()) if (names.size > most.size) most = names;
    return most;
  }
}

export function newSessionValue(): string {
  return randomBytes(32).toString('base64url');
}

export function nameOfSession(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** The value of the session cookie in a Cookie header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  const prefix = `${sessionCookie}=`;
  const found = header?.split(';').find((part) => part.trimStart().startsWith(prefix));
  return found?.trim().slice(prefix.length);
}

/** The value of a Set-Cookie header. `value` undefined: the browser forgets the cookie. */
export function formatSessionCookie(value: string | undefined, { secure }: { readonly secure: boolean }): string {
  const lifetime = value === undefined ? 0 : sessionSeconds;
  const attributes = [`Max-Age=${lifetime}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', ...(secure ? ['Secure'] : [])];
  return [`${sessionCookie}=${value ?? ''}`, ...attributes].join('; ');
}
