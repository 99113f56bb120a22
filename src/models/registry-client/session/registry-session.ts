// Requests to a registry's API: adds authorization and follows redirects safely.

import { HearthError } from '../../../base/errors.ts';
import { proxiedHost, type ResolvedHost, type ResolveHost, resolveHost } from '../../../base/net/guarded-lookup.ts';
import { narrower, type Reach } from '../../../base/net/private-address.ts';
import type { HttpClient, RegistryRequest, RegistryResponse } from '../http/http-client.ts';
import { maxRedirects } from '../http/limits.ts';
import type { Authorizer, Purpose } from './authorizer.ts';
import type { Repository } from './registry-address.ts';

interface SessionRequest {
  readonly method: RegistryRequest['method'];
  /** A path below `/v2/<repository>/`, or a URL from the registry. */
  readonly target: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called again if the request is repeated. */
  readonly body?: () => AsyncIterable<Buffer> | Buffer;
  readonly stallTimeout?: number;
  readonly signal: AbortSignal;
}

interface SessionOptions {
  readonly http: HttpClient;
  readonly authorizer: Authorizer;
  readonly repository: Repository;
  readonly purpose: Purpose;
  readonly resolve?: ResolveHost;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createRegistrySession(options: SessionOptions) {
  const { http, authorizer, repository, purpose, resolve = resolveHost } = options;
  const { registry, path } = repository;
  const origin = new URL(registry.origin);

  // A registry in a private network may redirect within it. If its name resolves to another address later, the session
  // keeps the stricter of the two limits: a URL may come from the earlier host.
  let resolved: Promise<ResolvedHost> | undefined;
  let reach: Reach = 'loopback';
  const resolveRegistry = async (): Promise<ResolvedHost> => {
    resolved ??= http.isProxied(origin) ? Promise.resolve(proxiedHost) : resolve(origin.hostname);
    const { addresses, reach: current } = await resolved;
    reach = narrower(reach, current);
    return { addresses, reach };
  };

  const isRegistryOrigin = (url: URL): boolean => url.origin === origin.origin;
  const sendOnce = async (url: URL, request: SessionRequest): Promise<RegistryResponse> => {
    const { method, headers = {}, body, stallTimeout, signal } = request;
    const isNamed = isRegistryOrigin(url);
    const authorization = isNamed ? authorizer.headerFor(repository, purpose) : undefined;
    const host = await resolveRegistry();
    const sent = http.send({
      method,
      url,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      body: body?.(),
      stallTimeout,
      destination: isNamed ? { kind: 'named', addresses: host.addresses } : { kind: 'referred', reach: host.reach },
      signal,
    });
    return sent.catch((error: unknown) => {
      // The registry may have moved to another address.
      if (isNamed) resolved = undefined;
      throw error;
    });
  };
  const sendAuthorized = async (url: URL, request: SessionRequest): Promise<RegistryResponse> => {
    const response = await sendOnce(url, request);
    if (response.status !== 401 || !isRegistryOrigin(url)) return response;
    response.drop();
    await authorizer.answerChallenge(repository, purpose, {
      wwwAuthenticate: response.header('www-authenticate'),
      host: await resolveRegistry(),
      signal: request.signal,
    });
    const second = await sendOnce(url, request);
    if (second.status !== 401) return second;
    second.drop();
    throw authorizer.accessDenied(repository);
  };

  return {
    repository,
    /** See HttpClient. */
    recycle: http.recycle,
    /** Returns any status but 401. Follows redirects of GET and HEAD. */
    async send(request: SessionRequest): Promise<RegistryResponse> {
      const follows = request.method === 'GET' || request.method === 'HEAD';
      let url = typeof request.target === 'string' ? new URL(`/v2/${path}/${request.target}`, origin) : request.target;
      for (let hops = 0; ; hops++) {
        const response = await sendAuthorized(url, request);
        if (!follows || !redirects.has(response.status)) return response;
        response.drop();
        if (hops === maxRedirects)
          throw new HearthError(
            'registry_invalid_response',
            `${origin.host} redirects more than ${maxRedirects} times: refused`,
          );
        url = resolveLocation(response.header('location'), url, repository);
      }
    },
  };
}

export type RegistrySession = ReturnType<typeof createRegistrySession>;

/** Resolves a Location header; throws `registry_invalid_response` for a URL that must not be followed. */
export function resolveLocation(location: string | undefined, from: URL, { registry }: Repository): URL {
  const url = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new HearthError('registry_invalid_response', `${from.host} redirects to an invalid URL`);
  if (url.protocol === 'http:' && from.protocol === 'https:' && !registry.insecure)
    throw new HearthError('registry_invalid_response', `${from.host} redirects to ${url.host} without TLS: refused`);
  return url;
}
