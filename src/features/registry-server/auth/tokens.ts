// Short-lived bearer tokens with the granted scopes, authenticated with an HMAC. They are JWTs, because some clients
// parse them.
//
//   token = base64url(header) "." base64url(claims) "." base64url(HMAC-SHA256 of the preceding text)

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import { registryServerLimits } from '../limits.ts';
import type { AccessScope } from './scope.ts';

export interface Grant {
  /** The public key as base64. */
  readonly subject: string;
  readonly scopes: readonly AccessScope[];
}

const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');

/** The secret lives as long as the process: after a restart, clients request new tokens by themselves. */
export function createTokens(clock: Clock) {
  const secret = randomBytes(32);
  const hmacOf = (text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);
  return {
    issue({ subject, scopes }: Grant): string {
      const iat = nowSeconds();
      const claims = { sub: subject, iat, exp: iat + registryServerLimits.tokenSeconds, access: scopes };
      const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      return `${text}.${hmacOf(text).toString('base64url')}`;
    },
    /** Undefined if the token is not authentic or has expired. */
    check(token: string): Grant | undefined {
      const [, text, claims, mac] = /^([\w-]+\.([\w-]+))\.([\w-]{43})$/.exec(token) ?? [];
      if (text === undefined || claims === undefined || mac === undefined) return undefined;
      if (!timingSafeEqual(hmacOf(text), Buffer.from(mac, 'base64url'))) return undefined;
      // The HMAC is valid, so the claims are our own.
      const { sub, exp, access } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as {
        sub: string;
        exp: number;
        access: AccessScope[];
      };
      return nowSeconds() < exp ? { subject: sub, scopes: access } : undefined;
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;
