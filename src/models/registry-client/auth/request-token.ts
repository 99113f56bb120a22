// Asks for a token, as a library's challenge says. Who we are is told only to the library's own host, or with a password
// that the configuration has for that very host; another one may be asked as nobody in particular.

import { randomBytes } from 'node:crypto';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { PrivateKey } from '../../keys/private-key.ts';
import { signTokenRequest } from '../../keys/token-request.ts';
import { withDeadline } from '../http/deadline.ts';
import type { HttpClient } from '../http/http-client.ts';
import { resolvesToPrivate } from '../http/private-address.ts';
import { describeErrorResponse, toResponseError, readBoundedBody } from '../http/read-response.ts';
import { responseTimeout, maxToken } from '../limits.ts';
import type { RegistryAddress } from '../registry-address.ts';
import type { Challenge } from './challenge.ts';

export interface BearerToken {
  readonly text: string;
  /** From now on, in milliseconds. */
  readonly lifetime: number;
}

export interface TokenServices {
  readonly http: HttpClient;
  readonly clock: Clock;
}

export interface TokenInput {
  readonly registry: RegistryAddress;
  readonly challenge: Challenge;
  /** What to ask for where the challenge does not say. */
  readonly scope: string;
  /** The password for a host, ready for a header, where the configuration has one. */
  readonly basic: (host: string) => string | undefined;
  /** Undefined where there is no key to sign with. */
  readonly key: () => Promise<PrivateKey | undefined>;
  readonly signal: AbortSignal;
}

interface Attempt {
  readonly url: URL;
  readonly authorization?: string;
}

// Of a token that does not say, as the reference library has it.
const defaultLifetime = 60;
const maxLifetime = 24 * 60 * 60;

export async function requestToken({ http, clock }: TokenServices, input: TokenInput): Promise<BearerToken> {
  const realm = checkRealm(input);
  const own = realm.host === new URL(input.registry.origin).host;
  const publicOnly = !own && !input.registry.insecure && !(await resolvesToPrivate(new URL(input.registry.origin).hostname));
  let failure = '';
  let passing: HearthError | undefined;
  for (const attempt of await planAttempts(input, realm, own, clock)) {
    const { url, authorization } = attempt;
    const headers = authorization === undefined ? {} : { authorization };
    const what = `the token from ${url.host}`;
    const outcome = await withDeadline(
      { clock, milliseconds: responseTimeout, signal: input.signal, what },
      async (signal) => {
        const response = await http.send({ method: 'GET', url, headers, publicOnly, signal });
        if (response.status === 429 || response.status >= 500) return toResponseError(response, what);
        if (response.status !== 200) return describeErrorResponse(response);
        return parseToken(await readBoundedBody(response, maxToken, 'a token'), url.host);
      },
    );
    if (outcome instanceof HearthError) passing = outcome;
    else if (typeof outcome === 'string') failure ||= outcome;
    else return outcome;
  }
  // Somebody who is busy may say yes the next time.
  if (passing !== undefined) throw passing;
  throw new HearthError('registry_denied', `no token from ${realm.host}: ${failure}`);
}

function checkRealm({ registry, challenge }: TokenInput): URL {
  const host = new URL(registry.origin).host;
  const realm = URL.canParse(challenge.realm) ? new URL(challenge.realm) : undefined;
  if (realm === undefined || !['https:', 'http:'].includes(realm.protocol) || realm.username !== '')
    throw new HearthError('registry_invalid_response', `${host} wants a token from a place that is no address`);
  if (realm.protocol === 'http:' && !registry.origin.startsWith('http:'))
    throw new HearthError(
      'registry_invalid_response',
      `${host} wants a token to be fetched without encryption: refused`,
    );
  return realm;
}

async function planAttempts(input: TokenInput, realm: URL, own: boolean, clock: Clock): Promise<Attempt[]> {
  const { challenge, scope, basic, key } = input;
  const scopes = challenge.scopes.length > 0 ? challenge.scopes : [scope];
  const plain = new URL(realm);
  plain.searchParams.set('service', challenge.service);
  for (const one of scopes) plain.searchParams.append('scope', one);
  const anonymous = { url: plain };
  const password = basic(realm.host);
  if (password !== undefined) return [{ url: plain, authorization: password }];
  if (!own) return [anonymous];
  const signingKey = await key();
  if (signingKey === undefined) return [anonymous];
  const signed = signTokenRequest(signingKey, {
    realm: challenge.realm,
    service: challenge.service,
    scopes,
    nowSeconds: clock.now() / 1000,
    nonce: randomBytes(16).toString('base64url'),
  });
  // Libraries of other families do not know such signatures, and give tokens to anybody.
  return [{ url: new URL(signed.url), authorization: signed.authorization }, anonymous];
}

function parseToken(body: Buffer, host: string): BearerToken {
  const value = parseJson(body);
  const text = value['token'] ?? value['access_token'];
  if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
    throw new HearthError('registry_invalid_response', `what ${host} sends is no token`);
  const seconds = Number(value['expires_in'] ?? defaultLifetime);
  const lifetime = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxLifetime) : defaultLifetime;
  return { text, lifetime: lifetime * 1000 };
}

function parseJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
