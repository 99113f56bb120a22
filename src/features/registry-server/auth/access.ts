// Decides whether a request is allowed. If not, the response says where to get a token.

import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { BaseUrlResolver } from '../base-url.ts';
import { serviceOf } from '../base-url.ts';
import { protocolError } from '../protocol-error.ts';
import type { AuthorizedKeys } from './authorized-keys.ts';
import { type AccessScope, covers, formatScope } from './scope.ts';
import type { Grant, Tokens } from './tokens.ts';

/** Who may pull: everyone, or only holders of registered keys. Pushing always needs a registered key. */
export type PullPolicy = 'open' | 'keyed';

interface AccessOptions {
  readonly pull: PullPolicy;
  readonly keys: AuthorizedKeys;
  readonly tokens: Tokens;
  readonly resolveBaseUrl: BaseUrlResolver;
}

export function createRegistryAccess({ pull, keys, tokens, resolveBaseUrl }: AccessOptions) {
  const findAddress = ({ headers: { host }, raw: { socket } }: FastifyRequest): string | undefined =>
    resolveBaseUrl({ host, localAddress: socket.localAddress, localPort: socket.localPort });
  const addressOf = (request: FastifyRequest): string => {
    const address = findAddress(request);
    if (address === undefined)
      throw protocolError(
        'DENIED',
        `"${request.headers.host ?? ''}" is not an address of this registry; its operator can set it with --url`,
      );
    return address;
  };
  const challenge = (request: FastifyRequest, scope: AccessScope | undefined, reason: string | undefined): Error => {
    const address = addressOf(request);
    const parts = { realm: `${address}/token`, service: serviceOf(address), scope: scope && formatScope(scope) };
    const parameters = Object.entries({ ...parts, error: reason }).filter(([, value]) => value !== undefined);
    return protocolError('UNAUTHORIZED', messageFor(reason), {
      'www-authenticate': `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(',')}`,
    });
  };
  /** A web page can let its name resolve to this machine (DNS rebinding), and would read what only programs here can. */
  const checkName = (request: FastifyRequest): '' => {
    const { headers, raw } = request;
    if (isLoopbackAddress(raw.socket.localAddress) && !namesLoopback(headers.host)) addressOf(request);
    return '';
  };
  const grantOf = (request: FastifyRequest): { readonly given: boolean; readonly grant: Grant | undefined } => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    return { given: token !== undefined, grant: token === undefined ? undefined : tokens.check(token) };
  };

  return {
    pull,
    /** The base URL of the request; throws if its Host header does not name this registry. */
    addressOf,
    /** A Location header: an absolute URL if possible, because some clients cannot resolve a relative one. */
    locationOf: (request: FastifyRequest, path: string): string => `${findAddress(request) ?? ''}${path}`,
    /** Throws a protocol error, or returns the comment of the key; empty for an anonymous pull. */
    async check(
      request: FastifyRequest,
      { kind, scope }: { readonly kind: 'pull' | 'push'; readonly scope?: AccessScope },
    ): Promise<string> {
      if (kind === 'pull' && pull === 'open') return checkName(request);
      const { given, grant } = grantOf(request);
      // Removing a key from the list also revokes its tokens.
      const comment = grant && (await keys.find(grant.subject));
      if (grant === undefined || comment === undefined)
        throw challenge(request, scope, given ? 'invalid_token' : undefined);
      if (scope !== undefined && !covers(grant.scopes, scope)) throw challenge(request, scope, 'insufficient_scope');
      return comment;
    },
  };
}

export type RegistryAccess = ReturnType<typeof createRegistryAccess>;

function isLoopbackAddress(address = ''): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./i.test(address);
}

/** With any port: a program in front of the registry has another one. */
function namesLoopback(host = ''): boolean {
  const name = host.toLowerCase().replace(/:[0-9]+$/, '');
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}

function messageFor(reason: string | undefined): string {
  switch (reason) {
    case 'insufficient_scope':
      return 'the token does not cover this request';
    case 'invalid_token':
      return 'the token is invalid or has expired';
    default:
      return 'authentication required: a token is issued to holders of a registered key';
  }
}
