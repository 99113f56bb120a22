// Decides which key a request carries, and whether it may use a route. All answers about wrong keys are the same and
// take the same time.

import type { IncomingHttpHeaders } from 'node:http';
import { HearthError } from '../../../base/errors.ts';
import { type CallerKey, includesScope } from '../../../base/request/caller-key.ts';
import { type SharedState, stateUnreachable } from '../../../base/state/shared-state.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { AccessControl } from '../../../server/http/access/access-control.ts';
import { readCredentials } from './credentials.ts';
import { type KeyHolder, type KeyRecord, toCallerKey, toOwner } from './key-record.ts';
import type { KeyStore } from './key-store.ts';
import { matchesHash, parseKey } from './key-text.ts';
import type { KeyWatch } from './key-watch.ts';
import type { Quotas } from './quotas.ts';
import type { SessionHome } from './sessions.ts';

interface AuthenticatorOptions {
  readonly keys: KeyStore;
  readonly sessions: Pick<SessionHome, 'find'>;
  readonly quotas: Pick<Quotas, 'countRequest'>;
  readonly watch: Pick<KeyWatch, 'add'>;
  /** Absent: keys and quotas are those of this server alone. */
  readonly state?: Pick<SharedState, 'isReachable' | 'isOptional' | 'refresh'> | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

export interface Authenticator extends AccessControl {
  /** The key with this text, and whom it stands for; throws `unauthorized`. */
  findKey(text: string): { readonly key: KeyRecord; readonly holder: KeyHolder };
}

export function createAuthenticator({
  keys,
  sessions,
  quotas,
  watch,
  state,
  clock,
}: AuthenticatorOptions): Authenticator {
  const isExpired = ({ expiresAt = Number.POSITIVE_INFINITY }: KeyRecord): boolean => expiresAt <= clock.now();
  /** Undefined for the key of a user who is blocked or unknown. */
  const holderOf = (record: KeyHolder | undefined): KeyHolder | undefined => {
    if (record?.owner === undefined) return record;
    const user = keys.find(record.owner);
    return user?.isUser ? toOwner(record, user) : undefined;
  };

  /** The key with this secret, also if it has expired. */
  const match = (text: string): KeyHolder | undefined => {
    const { id = '', secret = '' } = parseKey(text) ?? {};
    const record = keys.find(id);
    return matchesHash(secret, record?.hash) ? record : undefined;
  };
  const matchSession = (value: string): KeyHolder | undefined => {
    const session = sessions.find(value);
    const record = session && keys.find(session.id);
    return record?.hash === session?.hash ? record : undefined;
  };
  /** The best match of what a request carries: one that has not expired, if there is one. */
  const matchAny = (headers: IncomingHttpHeaders): KeyHolder | undefined => {
    const { keys: texts, session } = readCredentials(headers);
    const found = [...texts.map(match), ...(session === undefined ? [] : [matchSession(session)])]
      .map(holderOf)
      .filter((holder) => holder !== undefined);
    return found.find((record) => !isExpired(record)) ?? found[0];
  };
  const refuse = (headers: IncomingHttpHeaders): HearthError => {
    const { keys: texts, session } = readCredentials(headers);
    if (texts.length === 0 && session === undefined) return unauthorized(howToSend);
    const expired = matchAny(headers);
    return expired === undefined ? unauthorized('the key is not valid') : hasExpired(expired);
  };

  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  /** Callers with wrong keys must not load the database. */
  const refresh = (shared: NonNullable<typeof state>): Promise<void> | undefined => {
    if (refreshing === undefined && clock.monotonic() - refreshedAt < refreshNanoseconds) return undefined;
    refreshing ??= shared.refresh().finally(() => {
      refreshing = undefined;
      refreshedAt = clock.monotonic();
    });
    return refreshing;
  };

  return {
    prepare(headers) {
      if (!state?.isReachable() || !keys.areRequired()) return undefined;
      const { keys: texts, session } = readCredentials(headers);
      const isMissing = (texts.length > 0 || session !== undefined) && matchAny(headers) === undefined;
      return isMissing ? refresh(state) : undefined;
    },
    isRequired: () => keys.areRequired(),
    identify(headers) {
      if (!keys.areRequired()) return undefined;
      const record = matchAny(headers);
      return record === undefined || isExpired(record) ? undefined : toCallerKey(record);
    },
    find(id) {
      const holder = holderOf(keys.find(id));
      return holder === undefined || isExpired(holder) ? undefined : toCallerKey(holder);
    },
    authorize(headers, key, route) {
      if (!keys.areRequired() || route?.scope === 'open') return undefined;
      // A key that was revoked elsewhere would be accepted.
      if (state !== undefined && !state.isReachable() && !state.isOptional)
        throw stateUnreachable('it does not answer');
      if (key === undefined) throw refuse(headers);
      if (route !== undefined && !includesScope(key.scope, route.scope)) throw missingScope(key, route.scope);
      const record = keys.find(key.id);
      return record !== undefined && route?.metered ? quotas.countRequest(record) : undefined;
    },
    watchKey({ id, credential = id }, onRevoked) {
      const revoke = (): void => onRevoked(unauthorized('the key is not valid any more'));
      const ends = [...new Set([id, credential])].map((watched) => watch.add(watched, revoke));
      return () => {
        for (const end of ends) end();
      };
    },
    findKey(text) {
      const key = match(text);
      const holder = holderOf(key);
      if (key === undefined || holder === undefined) throw unauthorized('the key is not valid');
      if (isExpired(holder)) throw hasExpired(holder);
      return { key, holder };
    },
  };
}

// What another server has stored a moment ago.
const refreshNanoseconds = 100 * nanosecondsPerMillisecond;

const howToSend = 'this server needs a key: send it as Authorization: Bearer <key> or as x-api-key';

function unauthorized(message: string): HearthError {
  return new HearthError('unauthorized', message);
}

function hasExpired({ name, isUser, credential }: KeyHolder): HearthError {
  if (!isUser) return unauthorized(`the key "${name}" has expired`);
  return unauthorized(
    credential === undefined
      ? `the sign-in of "${name}" has expired`
      : `the key of "${name}" has expired, or "${name}" must sign in again`,
  );
}

function missingScope({ name, scope }: CallerKey, needed: string): HearthError {
  return new HearthError('missing_scope', `this needs a key with the scope ${needed}; the key "${name}" has ${scope}`);
}
