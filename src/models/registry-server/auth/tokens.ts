// Tokens: what the library lets their holder do for the next few minutes, sealed so that nobody can write one. They have
// the form that such tokens usually have (JWT), because some clients look inside.
//
//   token = base64url(header) "." base64url(claims) "." base64url(HMAC-SHA256 of what stands before)

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import { registryServerLimits } from '../limits.ts';
import type { AccessScope } from './scope.ts';

export interface Grant {
  /** The public key, as the second word of its line. */
  readonly subject: string;
  readonly scopes: readonly AccessScope[];
}

export interface Tokens {
  issue(grant: Grant): string;
  /** Undefined when it is not ours or has had its time. */
  check(token: string): Grant | undefined;
}

const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');

/** The secret lives as long as the process: after a restart clients ask anew, which they do by themselves. */
export function createTokens(clock: Clock): Tokens {
  const secret = randomBytes(32);
  const seal = (text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);
  return {
    issue({ subject, scopes }) {
      const iat = nowSeconds();
      const claims = { sub: subject, iat, exp: iat + registryServerLimits.tokenSeconds, access: scopes };
      const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      return `${text}.${seal(text).toString('base64url')}`;
    },
    check(token) {
      const [, text, claims, mac] = /^([\w-]+\.([\w-]+))\.([\w-]{43})$/.exec(token) ?? [];
      if (text === undefined || claims === undefined || mac === undefined) return undefined;
      if (!timingSafeEqual(seal(text), Buffer.from(mac, 'base64url'))) return undefined;
      // Sealed by ourselves, so that it is what we wrote.
      const { sub, exp, access } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as {
        sub: string;
        exp: number;
        access: AccessScope[];
      };
      return nowSeconds() < exp ? { subject: sub, scopes: access } : undefined;
    },
  };
}
