// Where a request carries its key: Authorization: Bearer, x-api-key, or the cookie of a session.

import type { IncomingHttpHeaders } from 'node:http';
import { readSessionCookie } from './sessions.ts';

interface Credentials {
  /** The texts of keys. Some clients send both headers, one of them with a placeholder. */
  readonly keys: readonly string[];
  /** The value of the cookie; only if there are no keys. */
  readonly session?: string;
}

export function readCredentials(headers: IncomingHttpHeaders): Credentials {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const given = [bearer, headers['x-api-key']];
  const keys = given.filter((text): text is string => typeof text === 'string' && text !== '');
  const session = keys.length === 0 && isOwnPage(headers) ? readSessionCookie(headers.cookie) : undefined;
  return { keys, session };
}

/**
 * The cookie counts only for pages of this server. To a browser, pages of other ports of this machine are of the same
 * site, so that SameSite does not keep the cookie from them.
 */
function isOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}
