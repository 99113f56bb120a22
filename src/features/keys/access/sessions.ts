// Sessions of web pages: a cookie that scripts cannot read stands for a key or a user. Sessions are in memory, so a restart ends
// them. A session is valid as long as its key is.

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { KeyRecord } from './key-record.ts';

const sessionCookie = 'hearth_session';

interface Session {
  /** The key's id. */
  readonly id: string;
  /** The key's hash: a rotated key ends its sessions. */
  readonly hash: string;
}

const maxSessions = 10_000;
/** A key that signs in again and again ends its own sessions, not those of others. */
const maxSessionsPerKey = 100;
export const sessionSeconds = 7 * 24 * 60 * 60;

export class Sessions {
  readonly #clock: Pick<Clock, 'now'>;
  // By the hash of the value: the time of a lookup says nothing about values that exist. The oldest is the first.
  readonly #sessions = new Map<string, Session & { readonly expiresAt: number }>();
  // The names of the sessions of each key, the oldest first.
  readonly #namesOf = new Map<string, Set<string>>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the value of the cookie. */
  open({ id, hash }: Pick<KeyRecord, 'id' | 'hash'>): string {
    const value = randomBytes(32).toString('base64url');
    const name = nameOf(value);
    const own = this.#namesOf.get(id) ?? new Set();
    if (own.size >= maxSessionsPerKey) this.#endOldest(own);
    else if (this.#sessions.size >= maxSessions) this.#endOldest(this.#mostNames());
    own.add(name);
    this.#namesOf.set(id, own);
    this.#sessions.set(name, { id, hash, expiresAt: this.#clock.now() + sessionSeconds * 1000 });
    return value;
  }

  /** Whether the key has a session that has not expired. */
  has(id: string): boolean {
    const now = this.#clock.now();
    return [...(this.#namesOf.get(id) ?? [])].some((name) => (this.#sessions.get(name)?.expiresAt ?? 0) > now);
  }

  find(value: string): Session | undefined {
    const session = this.#sessions.get(nameOf(value));
    return session !== undefined && session.expiresAt > this.#clock.now() ? session : undefined;
  }

  end(value: string): void {
    this.#end(nameOf(value));
  }

  #end(name: string): void {
    const id = this.#sessions.get(name)?.id ?? '';
    const names = this.#namesOf.get(id);
    this.#sessions.delete(name);
    names?.delete(name);
    if (names?.size === 0) this.#namesOf.delete(id);
  }

  #endOldest(names: ReadonlySet<string>): void {
    const [oldest] = names;
    if (oldest !== undefined) this.#end(oldest);
  }

  /** The sessions of the key that has the most. */
  #mostNames(): ReadonlySet<string> {
    let most: ReadonlySet<string> = new Set();
    for (const names of this.#namesOf.values()) if (names.size > most.size) most = names;
    return most;
  }
}

function nameOf(value: string): string {
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
