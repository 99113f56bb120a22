// Who we are to which library: passwords, and tokens for as long as they hold. Nothing here is ever sent to another host
// than the one it is for.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { PrivateKey } from '../../keys/private-key.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { Repository } from '../registry-address.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import { requestToken } from './request-token.ts';

export type Purpose = 'pull' | 'push';

export interface Credentials {
  /** As in the names of models: `host` or `host:port`. */
  readonly host: string;
  readonly user: string;
  readonly password: string;
}

export interface Authorizer {
  /** The header to send, if one is known to be needed. */
  headerFor(repository: Repository, purpose: Purpose): string | undefined;
  /** Does what a 401 asks for; throws `library_denied` where that cannot be done. */
  answerChallenge(repository: Repository, purpose: Purpose, demand: UnauthorizedResponse): Promise<void>;
  /** For whoever was turned away all the same. */
  accessDenied(repository: Repository): HearthError;
}

export interface UnauthorizedResponse {
  /** The header of that name. */
  readonly wwwAuthenticate: string | undefined;
  readonly signal: AbortSignal;
}

export interface AuthorizerOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly credentials: readonly Credentials[];
  /** Made at first need. */
  readonly loadKey: () => Promise<PrivateKey>;
}

interface Known {
  readonly header: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

// Milliseconds: a token that is about to end is not used any more.
const margin = 5_000;
const maxKnown = 1000;

export function createAuthorizer({ http, clock, credentials, loadKey }: AuthorizerOptions): Authorizer {
  const known = new Map<string, Known>();
  const keyOf = ({ registry, path }: Repository, purpose: Purpose): string => `${registry.origin} ${path} ${purpose}`;
  const basicFor = (host: string): string | undefined => {
    const found = credentials.find((entry) => entry.host.toLowerCase() === host);
    return found && `Basic ${Buffer.from(`${found.user}:${found.password}`).toString('base64')}`;
  };
  const remember = (key: string, value: Known): void => {
    if (known.size >= maxKnown) known.clear();
    known.set(key, value);
  };
  // To read what is open to all, no key is needed.
  const keyFor = async (purpose: Purpose): Promise<PrivateKey | undefined> =>
    loadKey().catch((error: unknown) => {
      if (purpose === 'push') throw error;
      return undefined;
    });

  const headerFor = async (repository: Repository, purpose: Purpose, challenge: Challenge, signal: AbortSignal) => {
    const { registry, path } = repository;
    if (challenge.scheme === 'basic') {
      const basic = basicFor(new URL(registry.origin).host);
      if (basic === undefined) throw missingPassword(registry.origin);
      return { header: basic, until: Number.POSITIVE_INFINITY };
    }
    const { text, lifetime } = await requestToken(
      { http, clock },
      {
        registry,
        challenge,
        scope: `repository:${path}:${purpose === 'push' ? 'pull,push' : 'pull'}`,
        basic: basicFor,
        key: () => keyFor(purpose),
        signal,
      },
    );
    return { header: `Bearer ${text}`, until: clock.now() + lifetime - margin };
  };

  return {
    headerFor(repository, purpose) {
      const found = known.get(keyOf(repository, purpose));
      return found && found.until > clock.now() ? found.header : undefined;
    },
    async answerChallenge(repository, purpose, { wwwAuthenticate, signal }) {
      const challenge = parseChallenge(wwwAuthenticate);
      if (challenge === undefined) throw this.accessDenied(repository);
      const found = await headerFor(repository, purpose, challenge, signal);
      // Used at least once, however short its life is.
      remember(keyOf(repository, purpose), { ...found, until: Math.max(found.until, clock.now() + 1) });
    },
    accessDenied({ registry }) {
      const { host } = new URL(registry.origin);
      const hint = `the library ${host} does not know this server, or does not allow it. \`hearth key\` prints the key to register there`;
      return new HearthError('registry_denied', `unauthorized: access denied (${hint})`);
    },
  };
}

function missingPassword(origin: string): HearthError {
  const { host } = new URL(origin);
  const message = `unauthorized: the library ${host} wants a name and a password; the setting library_credentials has room for them`;
  return new HearthError('registry_denied', message);
}
