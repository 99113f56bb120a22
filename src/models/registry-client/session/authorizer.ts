// Credentials for registries: passwords and cached tokens. Each is sent only to the host that it is meant for.

import { HearthError } from '../../../base/errors.ts';
import type { ResolvedHost } from '../../../base/net/guarded-lookup.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { PrivateKey } from '../../keys/private-key.ts';
import type { HttpClient } from '../http/http-client.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import type { Repository } from './registry-address.ts';
import { requestToken } from './request-token.ts';

export type Purpose = 'pull' | 'push';

export interface RegistryCredentials {
  /** As in model names: `host` or `host:port`. */
  readonly host: string;
  readonly user: string;
  readonly password: string;
}

interface UnauthorizedResponse {
  /** The WWW-Authenticate header. */
  readonly wwwAuthenticate: string | undefined;
  /** The registry's host. */
  readonly host: ResolvedHost;
  readonly signal: AbortSignal;
}

interface Demand extends Omit<UnauthorizedResponse, 'wwwAuthenticate'> {
  readonly challenge: Challenge;
}

interface AuthorizerOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly credentials: readonly RegistryCredentials[];
  /** Creates the key on first use. */
  readonly loadKey: () => Promise<PrivateKey>;
}

interface CachedHeader {
  readonly header: string;
  /** The time in milliseconds since the epoch. */
  readonly expiresAt: number;
}

// A token that is about to expire is not used.
const expiryMarginMs = 5_000;
const maxCached = 1000;

export function createAuthorizer({ http, clock, credentials, loadKey }: AuthorizerOptions) {
  const cache = new Map<string, CachedHeader>();
  const keyOf = ({ registry, path }: Repository, purpose: Purpose): string => `${registry.origin} ${path} ${purpose}`;
  const basicHeaderFor = (host: string): string | undefined => {
    const found = credentials.find((entry) => entry.host.toLowerCase() === host);
    return found && `Basic ${Buffer.from(`${found.user}:${found.password}`).toString('base64')}`;
  };
  const addToCache = (key: string, value: CachedHeader): void => {
    if (cache.size >= maxCached) cache.clear();
    cache.set(key, value);
  };
  // Pulling public models needs no key.
  const keyFor = async (purpose: Purpose): Promise<PrivateKey | undefined> =>
    loadKey().catch((error: unknown) => {
      if (purpose === 'push') throw error;
      return undefined;
    });

  const obtainHeader = async (repository: Repository, purpose: Purpose, { challenge, host, signal }: Demand) => {
    const { registry, path } = repository;
    const basic = basicHeaderFor(registry.credentialsHost ?? new URL(registry.origin).host);
    if (challenge.scheme === 'basic') {
      if (basic === undefined) throw missingCredentials(registry.origin);
      return { header: basic, expiresAt: Number.POSITIVE_INFINITY };
    }
    const { text, lifetimeMs } = await requestToken(
      { http, clock },
      {
        registry,
        challenge,
        scope: `repository:${path}:${purpose === 'push' ? 'pull,push' : 'pull'}`,
        basicHeader: basic,
        host,
        key: () => keyFor(purpose),
        signal,
      },
    );
    return { header: `Bearer ${text}`, expiresAt: clock.now() + lifetimeMs - expiryMarginMs };
  };

  return {
    /** The Authorization header, if one is cached. */
    headerFor(repository: Repository, purpose: Purpose): string | undefined {
      const found = cache.get(keyOf(repository, purpose));
      return found && found.expiresAt > clock.now() ? found.header : undefined;
    },
    /** Obtains what the challenge of a 401 asks for; throws `registry_denied` if that is impossible. */
    async answerChallenge(
      repository: Repository,
      purpose: Purpose,
      { wwwAuthenticate, host, signal }: UnauthorizedResponse,
    ): Promise<void> {
      const challenge = parseChallenge(wwwAuthenticate);
      if (challenge === undefined) throw this.accessDenied(repository);
      const found = await obtainHeader(repository, purpose, { challenge, host, signal });
      // Used at least once, however short its lifetimeMs.
      const expiresAt = Math.max(found.expiresAt, clock.now() + 1);
      addToCache(keyOf(repository, purpose), { ...found, expiresAt });
    },
    /** The error for a request that was still rejected. */
    accessDenied({ registry }: Repository): HearthError {
      const { host } = new URL(registry.origin);
      const hint = `${host} does not accept the key of this server; \`hearth public-key\` prints the key to register`;
      return new HearthError('registry_denied', `unauthorized: access denied (${hint})`);
    },
  };
}

export type Authorizer = ReturnType<typeof createAuthorizer>;

function missingCredentials(origin: string): HearthError {
  const { host } = new URL(origin);
  const message = `unauthorized: the registry ${host} requires a user name and a password; set registry_credentials`;
  return new HearthError('registry_denied', message);
}
