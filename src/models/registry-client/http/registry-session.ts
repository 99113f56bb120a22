// Requests to a registry's API: adds authorization and follows redirects safely.

import { HearthError } from '../../../base/errors.ts';
import type { Authorizer, Purpose } from '../auth/authorizer.ts';
import { maxRedirects } from '../limits.ts';
import type { Repository } from '../registry-address.ts';
import type { HttpClient, RegistryRequest, RegistryResponse } from './http-client.ts';
import { resolvesToPrivate } from './private-address.ts';

export interface SessionRequest {
  readonly method: RegistryRequest['method'];
  /** A path below `/v2/<repository>/`, or a URL from the registry. */
  readonly target: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called again if the request is repeated. */
  readonly body?: () => AsyncIterable<Buffer> | Buffer;
  readonly stallTimeout?: number;
  readonly signal: AbortSignal;
}

export interface RegistrySession {
  readonly repository: Repository;
  /** Returns any status but 401. Follows redirects of GET and HEAD. */
  send(request: SessionRequest): Promise<RegistryResponse>;
  /** See HttpClient. */
  recycle(chunk: Uint8Array): void;
}

export interface SessionOptions {
  readonly http: HttpClient;
  readonly authorizer: Authorizer;
  readonly repository: Repository;
  readonly purpose: Purpose;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createRegistrySession({ http, authorizer, repository, purpose }: SessionOptions): RegistrySession {
  const { registry, path } = repository;
  const origin = new URL(registry.origin);

  // A registry in the private network may redirect within it.
  let isPrivate: Promise<boolean> | undefined;
  const mustStayPublic = async (): Promise<boolean> => {
    isPrivate ??= resolvesToPrivate(origin.hostname);
    return !registry.insecure && !(await isPrivate);
  };

  const isRegistryOrigin = (url: URL): boolean => url.origin === origin.origin;
  const sendOnce = async (url: URL, request: SessionRequest): Promise<RegistryResponse> => {
    const { method, headers = {}, body, stallTimeout, signal } = request;
    const authorization = isRegistryOrigin(url) ? authorizer.headerFor(repository, purpose) : undefined;
    return http.send({
      method,
      url,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { body: body() }),
      ...(stallTimeout === undefined ? {} : { stallTimeout }),
      publicOnly: !isRegistryOrigin(url) && (await mustStayPublic()),
      signal,
    });
  };
  const sendAuthorized = async (url: URL, request: SessionRequest): Promise<RegistryResponse> => {
    const response = await sendOnce(url, request);
    if (response.status !== 401 || !isRegistryOrigin(url)) return response;
    response.drop();
    await authorizer.answerChallenge(repository, purpose, {
      wwwAuthenticate: response.header('www-authenticate'),
      signal: request.signal,
    });
    const second = await sendOnce(url, request);
    if (second.status !== 401) return second;
    second.drop();
    throw authorizer.accessDenied(repository);
  };

  return {
    repository,
    recycle: http.recycle,
    async send(request) {
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

/** Resolves a Location header; throws `registry_invalid_response` for a URL that must not be followed. */
export function resolveLocation(location: string | undefined, from: URL, { registry }: Repository): URL {
  const url = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new HearthError('registry_invalid_response', `${from.host} redirects to an invalid URL`);
  if (url.protocol === 'http:' && from.protocol === 'https:' && !registry.insecure)
    throw new HearthError('registry_invalid_response', `${from.host} redirects to ${url.host} without TLS: refused`);
  return url;
}
