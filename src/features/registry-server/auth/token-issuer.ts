// Issues tokens for signed requests. The signature covers the entire URL with the requested scopes; the timestamp must
// be current and the nonce unused. Nonces are not kept over a restart, so the request must be younger than that.

import { messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { formatPublicKey, type PublicKey, toPublicBlobText } from '../../../models/keys/public-key.ts';
import { checkTokenRequest } from '../../../models/keys/token-request.ts';
import { serviceOf } from '../base-url.ts';
import { registryServerLimits } from '../limits.ts';
import { protocolError } from '../protocol-error.ts';
import type { AuthorizedKeys } from './authorized-keys.ts';
import { parseScope, toGrantedScopes } from './scope.ts';
import type { Tokens } from './tokens.ts';

interface SignedRequest {
  /** Base URL of the registry as the client used it. */
  readonly address: string;
  /** Path and query as received. */
  readonly target: string;
  readonly authorization: string | undefined;
}

export type TokenIssuer = (request: SignedRequest) => Promise<string>;

interface TokenIssuerOptions {
  readonly clock: Clock;
  readonly keys: AuthorizedKeys;
  readonly tokens: Tokens;
  readonly logger: Logger;
}

export function createTokenIssuer({ clock, keys, tokens, logger }: TokenIssuerOptions): TokenIssuer {
  // A timestamp in the future stays valid for up to twice the allowed skew.
  const keepMs = 2 * registryServerLimits.clockSkewSeconds * 1000 + 1000;
  const startSeconds = Math.floor(clock.now() / 1000);
  const nonces = createNonces({ clock, keepMs, max: registryServerLimits.nonces });

  const checkOnce = (key: string, nonce: string): void => {
    switch (nonces.use(`${key} ${nonce}`)) {
      case 'used':
        throw unauthorized('this nonce has been used before');
      case 'too many':
        throw protocolError('TOOMANYREQUESTS', 'too many token requests; try again in a few minutes');
      case 'fresh':
    }
  };

  return async ({ address, target, authorization }) => {
    const signer = verifySigner({ url: `${address}${target}`, authorization });
    const query = parseTokenQuery(target);
    const skew = Math.abs(clock.now() / 1000 - query.ts);
    if (!(skew <= registryServerLimits.clockSkewSeconds))
      throw unauthorized(
        'the timestamp of the request is off by more than five minutes: check the clocks of both machines',
      );
    if (query.ts < startSeconds)
      throw unauthorized('the request was signed before this registry started: sign another one, or check the clocks');
    if (query.service !== serviceOf(address)) throw unauthorized('the request is for another service');
    const key = toPublicBlobText(signer);
    const comment = await keys.find(key);
    if (comment === undefined) {
      logger.warn('token request with an unregistered key', { key: formatPublicKey(signer) });
      throw protocolError(
        'DENIED',
        `the key "${formatPublicKey(signer)}" is not registered; the operator can add this line to authorized_keys`,
      );
    }
    checkOnce(key, query.nonce);
    const scopes = toGrantedScopes(query.scopes.map(parseScope).filter((scope) => scope !== undefined));
    return tokens.issue({ subject: key, scopes });
  };
}

function verifySigner({ url, authorization }: { url: string; authorization: string | undefined }): PublicKey {
  if (authorization === undefined)
    throw unauthorized(
      'a token request must be signed with a registered key; `hearth public-key` prints the line to register',
    );
  try {
    return checkTokenRequest({ url, authorization });
  } catch (error) {
    throw unauthorized(messageOf(error));
  }
}

function parseTokenQuery(target: string) {
  const query = new URLSearchParams(target.split('?', 2)[1] ?? '');
  const [service, ts, nonce] = ['service', 'ts', 'nonce'].map((name) => query.get(name) ?? '');
  const scopes = query.getAll('scope').flatMap((text) => text.split(' '));
  if (scopes.length > registryServerLimits.scopes)
    throw unauthorized(`more than ${registryServerLimits.scopes} scopes`);
  if (!/^[\w-]{16,128}$/.test(nonce ?? '')) throw unauthorized('the request has no nonce of 16 bytes');
  return { service, nonce: nonce ?? '', ts: /^\d{1,12}$/.test(ts ?? '') ? Number(ts) : Number.NaN, scopes };
}

function unauthorized(message: string): Error {
  return protocolError('UNAUTHORIZED', message);
}

/** Nonces that have been used, kept for as long as a request with one of them would be accepted. */
export function createNonces({ clock, keepMs, max }: { clock: Clock; keepMs: number; max: number }) {
  // In insertion order, which is also the order of expiry.
  const used = new Map<string, number>();
  return {
    use(nonce: string): 'fresh' | 'used' | 'too many' {
      const now = clock.now();
      for (const [old, until] of used) {
        if (until > now) break;
        used.delete(old);
      }
      if (used.has(nonce)) return 'used';
      if (used.size >= max) return 'too many';
      used.set(nonce, now + keepMs);
      return 'fresh';
    },
  };
}
