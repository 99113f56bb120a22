// Requests a token as a registry's challenge demands. Passwords and signed requests go only to the registry's own host:
// the registry receives the token, so it must not choose a host where another registry's password is valid. Any other
// token service is asked anonymously, except for the one that is known to belong to the registry.

import { randomBytes } from 'node:crypto';
import { HearthError } from '../../../base/errors.ts';
import { asObject, parseJson } from '../../../base/json-values.ts';
import type { ResolvedHost } from '../../../base/net/guarded-lookup.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { PrivateKey } from '../../keys/private-key.ts';
import { signTokenRequest } from '../../keys/token-request.ts';
import { withDeadline } from '../http/deadline.ts';
import type { HttpClient } from '../http/http-client.ts';
import { maxToken, responseTimeout } from '../http/limits.ts';
import { describeErrorResponse, readBoundedBody, toResponseError } from '../http/read-response.ts';
import type { Challenge } from './challenge.ts';
import type { RegistryAddress } from './registry-address.ts';

interface BearerToken {
  readonly text: string;
  readonly lifetimeMs: number;
}

interface TokenInput {
  readonly registry: RegistryAddress;
  readonly challenge: Challenge;
  /** Used if the challenge has no scope. */
  readonly scope: string;
  /** The Authorization header with the configured password for the registry. */
  readonly basicHeader: string | undefined;
  readonly host: ResolvedHost;
  /** Undefined if there is no key to sign with. */
  readonly key: () => Promise<PrivateKey | undefined>;
  readonly signal: AbortSignal;
}

interface Attempt {
  readonly url: URL;
  readonly authorization?: string;
}

// The default is that of the distribution specification.
const defaultLifetimeSeconds = 60;
const maxLifetime = 24 * 60 * 60;

export async function requestToken(
  { http, clock }: { readonly http: HttpClient; readonly clock: Clock },
  input: TokenInput,
): Promise<BearerToken> {
  const realm = checkRealm(input);
  const { origin } = input.registry;
  const isOwnHost = realm.host === new URL(origin).host;
  const { addresses, reach } = input.host;
  const destination = isOwnHost ? ({ kind: 'named', addresses } as const) : ({ kind: 'referred', reach } as const);
  let denial = '';
  let transientError: HearthError | undefined;
  for (const attempt of await planAttempts(input, realm, isOwnHost, clock)) {
    const { url, authorization } = attempt;
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const what = `the token from ${url.host}`;
    const outcome = await withDeadline(
      { clock, milliseconds: responseTimeout, signal: input.signal, what },
      async (signal) => {
        const response = await http.send({ method: 'GET', url, headers, destination, signal });
        if (response.status === 429 || response.status >= 500) return toResponseError(response, { what, origin });
        if (response.status !== 200) return describeErrorResponse(response, origin);
        return parseToken(await readBoundedBody(response, maxToken, 'a token'), url.host);
      },
    );
    if (outcome instanceof HearthError) transientError = outcome;
    else if (typeof outcome === 'string') denial ||= outcome;
    else return outcome;
  }
  // A retry may succeed.
  if (transientError !== undefined) throw transientError;
  throw new HearthError('registry_denied', `no token from ${realm.host}: ${denial}`);
}

function checkRealm({ registry, challenge }: TokenInput): URL {
  const host = new URL(registry.origin).host;
  const realm = URL.canParse(challenge.realm) ? new URL(challenge.realm) : undefined;
  if (realm === undefined || !['https:', 'http:'].includes(realm.protocol) || realm.username !== '')
    throw new HearthError('registry_invalid_response', `${host} names an invalid URL for its token service`);
  if (realm.protocol === 'http:' && !registry.origin.startsWith('http:'))
    throw new HearthError('registry_invalid_response', `${host} names a token service without TLS: refused`);
  return realm;
}

async function planAttempts(input: TokenInput, realm: URL, isOwnHost: boolean, clock: Clock): Promise<Attempt[]> {
  const { registry, challenge, scope, basicHeader, key } = input;
  const scopes = challenge.scopes.length > 0 ? challenge.scopes : [scope];
  const plain = new URL(realm);
  plain.searchParams.set('service', challenge.service);
  for (const each of scopes) plain.searchParams.append('scope', each);
  const anonymous = { url: plain };
  const getsPassword = isOwnHost || (realm.protocol === 'https:' && realm.host === registry.tokenHost);
  if (basicHeader !== undefined && getsPassword) return [{ url: plain, authorization: basicHeader }];
  if (!isOwnHost) return [anonymous];
  const signingKey = await key();
  if (signingKey === undefined) return [anonymous];
  const signed = signTokenRequest(signingKey, {
    realm: challenge.realm,
    service: challenge.service,
    scopes,
    nowSeconds: clock.now() / 1000,
    nonce: randomBytes(16).toString('base64url'),
  });
  // Other registries do not support Ollama's signatures but may issue anonymous tokens.
  return [{ url: new URL(signed.url), authorization: signed.authorization }, anonymous];
}

function parseToken(body: Buffer, host: string): BearerToken {
  const value = asObject(parseJson(body.toString('utf8')));
  const text = value['token'] ?? value['access_token'];
  if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
    throw new HearthError('registry_invalid_response', `${host} sent an invalid token`);
  const seconds = Number(value['expires_in'] ?? defaultLifetimeSeconds);
  const lifetimeMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxLifetime) : defaultLifetimeSeconds;
  return { text, lifetimeMs: lifetimeMs * 1000 };
}
