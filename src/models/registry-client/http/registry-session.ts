// Requests to a library's API: with what proves who we are, through redirects that can be followed safely.

import { HearthError } from '../../../base/errors.ts';
import type { Authorizer, Purpose } from '../auth/authorizer.ts';
import { maxRedirects } from '../limits.ts';
import type { Repository } from '../registry-address.ts';
import type { HttpClient, RegistryRequest, RegistryResponse } from './http-client.ts';
import { resolvesToPrivate } from './private-address.ts';

export interface SessionRequest {
  readonly method: RegistryRequest['method'];
  /** Below `/v2/<repository>/`, or a whole address that the library has given. */
  readonly target: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called again when the request has to be. */
  readonly body?: () => AsyncIterable<Buffer> | Buffer;
  readonly stallTimeout?: number;
  readonly signal: AbortSignal;
}

export interface RegistrySession {
  readonly repository: Repository;
  /** Any status but 401; redirects of GET and HEAD are followed. */
  send(request: SessionRequest): Promise<RegistryResponse>;
  /** As the client's. */
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

  // A library on this network may send us around in it.
  let atHome: Promise<boolean> | undefined;
  const mustGuard = async (): Promise<boolean> => {
    atHome ??= resolvesToPrivate(origin.hostname);
    return !registry.insecure && !(await atHome);
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
      publicOnly: !isRegistryOrigin(url) && (await mustGuard()),
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
            `${origin.host} sends us from one place to the next, without end`,
          );
        url = resolveLocation(response.header('location'), url, repository);
      }
    },
  };
}

/** The address that a header names; throws `library_lied` for one that we do not go to. */
export function resolveLocation(location: string | undefined, from: URL, { registry }: Repository): URL {
  const url = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new HearthError('registry_invalid_response', `${from.host} sends us to a place that is no address`);
  if (url.protocol === 'http:' && from.protocol === 'https:' && !registry.insecure)
    throw new HearthError(
      'registry_invalid_response',
      `${from.host} sends us to ${url.host} without encryption: refused`,
    );
  return url;
}
