// GET /token: issues a token for a signed request.

import type { Clock } from '../../../base/time/clock.ts';
import { formatTimestamp } from '../../../base/time/timestamp.ts';
import type { RegistryAccess } from '../auth/access.ts';
import type { TokenIssuer } from '../auth/token-issuer.ts';
import { registryServerLimits } from '../limits.ts';
import type { AddRoutes } from './paths.ts';

interface TokenRouteOptions {
  readonly access: RegistryAccess;
  readonly tokenIssuer: TokenIssuer;
  readonly clock: Clock;
}

export function tokenRoute({ access, tokenIssuer, clock }: TokenRouteOptions): AddRoutes {
  return (app) => {
    app.get('/token', async (request, reply) => {
      const token = await tokenIssuer({
        address: access.addressOf(request),
        target: request.url,
        authorization: request.headers.authorization,
      });
      return reply.header('cache-control', 'no-store').send({
        token,
        access_token: token,
        expires_in: registryServerLimits.tokenSeconds,
        issued_at: formatTimestamp(clock.now()),
      });
    });
  };
}
