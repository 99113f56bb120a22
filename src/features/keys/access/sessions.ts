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

export interface Sessions {
  /** The value of the cookie. */
  open(key: Pick<KeyRecord, 'id' | 'hash'>): string;
  find(value: string): Session | undefined;
  end(value: string): void;
}

const maxSessions = 10_000;
export const sessionSeconds = 7 * 24 * 60 * 60;

export function createSessions(clock: Pick<Clock, 'now'>): Sessions {
  // By the hash of the value: the time of a lookup says nothing about values that exist. The oldest is the first.
  const sessions = new Map<string, Session & { readonly expiresAt: number }>();
  return {
    open({ id, hash }) {
      const value = randomBytes(32).toString('base64url');
      const [oldest] = sessions.keys();
      if (sessions.size >= maxSessions && oldest !== undefined) sessions.delete(oldest);
      sessions.set(nameOf(value), { id, hash, expiresAt: clock.now() + sessionSeconds * 1000 });
      return value;
    },
    find(value) {
      const session = sessions.get(nameOf(value));
      return session !== undefined && session.expiresAt > clock.now() ? session : undefined;
    },
    end: (value) => void sessions.delete(nameOf(value)),
  };
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
