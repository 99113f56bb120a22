// Sessions of web pages: a cookie that scripts cannot read stands for a key. Sessions are in memory, so a restart ends
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
export const sessionSeconds = 7 * 24 * 60 * 60;

export class Sessions {
  readonly #clock: Pick<Clock, 'now'>;
  // By the hash of the value: the time of a lookup says nothing about values that exist. The oldest is the first.
  readonly #sessions = new Map<string, Session & { readonly expiresAt: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the value of the cookie. */
  open({ id, hash }: Pick<KeyRecord, 'id' | 'hash'>): string {
    const value = randomBytes(32).toString('base64url');
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(nameOf(value), { id, hash, expiresAt: this.#clock.now() + sessionSeconds * 1000 });
    return value;
  }

  find(value: string): Session | undefined {
    const session = this.#sessions.get(nameOf(value));
    return session !== undefined && session.expiresAt > this.#clock.now() ? session : undefined;
  }

  end(value: string): void {
    this.#sessions.delete(nameOf(value));
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
