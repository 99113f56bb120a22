// Requests to a library's API: with what proves who we are, through redirects that can be followed safely.

import { HearthError } from '../../../base/errors.ts';
import type { Authoriser, Purpose } from '../auth/authorizer.ts';
import type { HttpClient, LibraryRequest, LibraryResponse } from './http-client.ts';
import type { Repository } from '../registry-address.ts';
import { mostRedirects } from '../limits.ts';
import { leadsToPrivate } from './private-address.ts';

export interface SessionRequest {
  readonly method: LibraryRequest['method'];
  /** Below `/v2/<repository>/`, or a whole address that the library has given. */
  readonly place: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called again when the request has to be. */
  readonly body?: () => AsyncIterable<Buffer> | Buffer;
  readonly patience?: number;
  readonly signal: AbortSignal;
}

export interface LibrarySession {
  readonly repository: Repository;
  /** Any status but 401; redirects of GET and HEAD are followed. */
  send(request: SessionRequest): Promise<LibraryResponse>;
  /** As the client's. */
  recycle(chunk: Uint8Array): void;
}

export interface SessionOptions {
  readonly http: HttpClient;
  readonly authoriser: Authoriser;
  readonly repository: Repository;
  readonly purpose: Purpose;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createLibrarySession({ http, authoriser, repository, purpose }: SessionOptions): LibrarySession {
  const { library, path } = repository;
  const origin = new URL(library.origin);

  // A library on this network may send us around in it.
  let atHome: Promise<boolean> | undefined;
  const mustGuard = async (): Promise<boolean> => {
    atHome ??= leadsToPrivate(origin.hostname);
    return !library.insecure && !(await atHome);
  };

  const isOwn = (url: URL): boolean => url.origin === origin.origin;
  const sendOnce = async (url: URL, request: SessionRequest): Promise<LibraryResponse> => {
    const { method, headers = {}, body, patience, signal } = request;
    const authorization = isOwn(url) ? authoriser.headerFor(repository, purpose) : undefined;
    return http.send({
      method,
      url,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { body: body() }),
      ...(patience === undefined ? {} : { patience }),
      guarded: !isOwn(url) && (await mustGuard()),
      signal,
    });
  };
  const sendAuthorised = async (url: URL, request: SessionRequest): Promise<LibraryResponse> => {
    const response = await sendOnce(url, request);
    if (response.status !== 401 || !isOwn(url)) return response;
    response.drop();
    await authoriser.satisfy(repository, purpose, {
      wwwAuthenticate: response.header('www-authenticate'),
      signal: request.signal,
    });
    const second = await sendOnce(url, request);
    if (second.status !== 401) return second;
    second.drop();
    throw authoriser.denial(repository);
  };

  return {
    repository,
    recycle: http.recycle,
    async send(request) {
      const follows = request.method === 'GET' || request.method === 'HEAD';
      let url = typeof request.place === 'string' ? new URL(`/v2/${path}/${request.place}`, origin) : request.place;
      for (let hops = 0; ; hops++) {
        const response = await sendAuthorised(url, request);
        if (!follows || !redirects.has(response.status)) return response;
        response.drop();
        if (hops === mostRedirects)
          throw new HearthError('library_lied', `${origin.host} sends us from one place to the next, without end`);
        url = checkPlace(response.header('location'), url, repository);
      }
    },
  };
}

/** The address that a header names; throws `library_lied` for one that we do not go to. */
export function checkPlace(location: string | undefined, from: URL, { library }: Repository): URL {
  const url = location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new HearthError('library_lied', `${from.host} sends us to a place that is no address`);
  if (url.protocol === 'http:' && from.protocol === 'https:' && !library.insecure)
    throw new HearthError('library_lied', `${from.host} sends us to ${url.host} without encryption: refused`);
  return url;
}
