// Whether a request may do what it is about to do; and if not, where to get a token for it.

import type { FastifyRequest } from 'fastify';
import type { BaseUrlResolver } from '../base-url.ts';
import { serviceOf } from '../base-url.ts';
import { protocolError } from '../protocol-error.ts';
import type { AuthorizedKeys } from './authorized-keys.ts';
import { covers, formatScope, type AccessScope } from './scope.ts';
import type { Grant, Tokens } from './tokens.ts';

/** For pulling: anybody, or holders of registered keys. Pushing is always for the latter. */
export type PullPolicy = 'open' | 'keyed';

export interface Access {
  /** Throws a refusal; otherwise returns the comment of the key that pushes, or nothing for a pull that is open. */
  check(request: FastifyRequest, need: { readonly kind: 'pull' | 'push'; readonly scope?: AccessScope }): Promise<string>;
  /** Throws when the library is not known by the name that the request used. */
  addressOf(request: FastifyRequest): string;
  /** A path of this library as a client should follow it: whole where that can be said, because some cannot add to it. */
  locationOf(request: FastifyRequest, path: string): string;
  readonly pull: PullPolicy;
}

export interface AccessOptions {
  readonly pull: PullPolicy;
  readonly keys: AuthorizedKeys;
  readonly tokens: Tokens;
  readonly resolveBaseUrl: BaseUrlResolver;
}

export function createAccess({ pull, keys, tokens, resolveBaseUrl }: AccessOptions): Access {
  const findAddress = ({ headers: { host }, raw: { socket } }: FastifyRequest): string | undefined =>
    resolveBaseUrl({ host, localAddress: socket.localAddress, localPort: socket.localPort });
  const addressOf = (request: FastifyRequest): string => {
    const address = findAddress(request);
    if (address === undefined)
      throw protocolError(
        'DENIED',
        `this library does not know itself as "${request.headers.host ?? ''}"; whoever runs it can give it that name with --url`,
      );
    return address;
  };
  const challenge = (request: FastifyRequest, scope: AccessScope | undefined, reason: string | undefined): Error => {
    const address = addressOf(request);
    const parts = { realm: `${address}/token`, service: serviceOf(address), scope: scope && formatScope(scope) };
    const words = Object.entries({ ...parts, error: reason }).filter(([, value]) => value !== undefined);
    return protocolError('UNAUTHORIZED', sentenceFor(reason), {
      'www-authenticate': `Bearer ${words.map(([name, value]) => `${name}="${value}"`).join(',')}`,
    });
  };
  const grantOf = (request: FastifyRequest): { readonly given: boolean; readonly grant: Grant | undefined } => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    return { given: token !== undefined, grant: token === undefined ? undefined : tokens.check(token) };
  };

  return {
    pull,
    addressOf,
    locationOf: (request, path) => `${findAddress(request) ?? ''}${path}`,
    async check(request, { kind, scope }) {
      if (kind === 'pull' && pull === 'open') return '';
      const { given, grant } = grantOf(request);
      // A key that was taken out of the list meanwhile takes its tokens along.
      const comment = grant && (await keys.find(grant.subject));
      if (grant === undefined || comment === undefined)
        throw challenge(request, scope, given ? 'invalid_token' : undefined);
      if (scope !== undefined && !covers(grant.scopes, scope)) throw challenge(request, scope, 'insufficient_scope');
      return comment;
    },
  };
}

function sentenceFor(reason: string | undefined): string {
  switch (reason) {
    case 'insufficient_scope':
      return 'the token is not good for this';
    case 'invalid_token':
      return 'the token is not valid, or not any more';
    default:
      return 'this needs a token, which holders of a registered key are given';
  }
}
