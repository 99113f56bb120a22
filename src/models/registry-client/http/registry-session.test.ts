import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createFakeHttp, type FakeAnswer, type FakeHttp } from '../../../../test/support/registry/fake-http.ts';
import { generatePrivateKey } from '../../keys/private-key.ts';
import { checkTokenRequest } from '../../keys/token-request.ts';
import { type Credentials, createAuthorizer, type Purpose } from '../auth/authorizer.ts';
import type { Repository } from '../registry-address.ts';
import type { RegistryRequest } from './http-client.ts';
import { createRegistrySession, type RegistrySession } from './registry-session.ts';

const key = generatePrivateKey('test');
const signal = new AbortController().signal;
const authorizationOf = ({ headers = {} }: RegistryRequest): string | undefined => headers['authorization'];

interface Scene {
  readonly http: FakeHttp;
  readonly session: RegistrySession;
  readonly clock: ReturnType<typeof createFakeClock>;
  get(target?: string): Promise<number>;
}

function scene(
  answer: (request: RegistryRequest) => FakeAnswer,
  options: { origin?: string; insecure?: boolean; credentials?: Credentials[]; purpose?: Purpose } = {},
): Scene {
  const { origin = 'https://203.0.113.7', insecure = false, credentials = [], purpose = 'pull' } = options;
  const clock = createFakeClock();
  const http = createFakeHttp(answer);
  const authorizer = createAuthorizer({ http, clock, credentials, loadKey: async () => key });
  const repository: Repository = { registry: { origin, insecure }, path: 'ns/model' };
  const session = createRegistrySession({ http, authorizer, repository, purpose });
  const get = async (target = 'manifests/latest'): Promise<number> =>
    (await session.send({ method: 'GET', target, signal })).status;
  return { http, session, clock, get };
}

/** A library that gives a token at `realm` and wants it. */
const publicOnly =
  (realm: string, token: object = { token: 'abc', expires_in: 300 }) =>
  (request: RegistryRequest): FakeAnswer => {
    if (request.url.href.startsWith(realm)) return { status: 200, body: JSON.stringify(token) };
    if (authorizationOf(request) === 'Bearer abc') return { status: 200 };
    const challenge = `Bearer realm="${realm}",service="lib",scope="repository:ns/model:pull"`;
    return { status: 401, headers: { 'www-authenticate': challenge } };
  };

describe('tokens', () => {
  test('are asked for once and used until they end', async () => {
    const { http, get, clock } = scene(publicOnly('https://203.0.113.7/token'));
    expect([await get(), await get(), await get()]).toEqual([200, 200, 200]);
    expect(http.requests.filter(({ url }) => url.pathname === '/token')).toHaveLength(1);
    clock.advance(296_000);
    expect(await get()).toBe(200);
    expect(http.requests.filter(({ url }) => url.pathname === '/token')).toHaveLength(2);
  });

  test('the request at the own host is signed, with the query in the order that is signed', async () => {
    const { http, get } = scene(publicOnly('https://203.0.113.7/token'));
    await get();
    const request = http.requests.find(({ url }) => url.pathname === '/token') as RegistryRequest;
    const signed = checkTokenRequest({ url: request.url.href, authorization: authorizationOf(request) ?? '' });
    expect(signed.bytes).toEqual(key.publicKey.bytes);
    expect([...request.url.searchParams.keys()]).toEqual(['nonce', 'scope', 'service', 'ts']);
    expect(request.publicOnly).toBe(false);
  });

  test('a host that does not know signatures is asked once more without one', async () => {
    const { http, get } = scene((request) => {
      const isToken = request.url.pathname === '/token';
      if (isToken && authorizationOf(request) !== undefined) return { status: 400, body: 'what is this?' };
      return publicOnly('https://203.0.113.7/token')(request);
    });
    expect(await get()).toBe(200);
    expect(http.requests.filter(({ url }) => url.pathname === '/token').map(authorizationOf)).toEqual([
      expect.stringContaining(':'),
      undefined,
    ]);
  });

  test('a password goes to the own host, in place of a signature', async () => {
    const credentials = [{ host: '203.0.113.7', user: 'ann', password: 'pw' }];
    const { http, get } = scene(publicOnly('https://203.0.113.7/token'), { credentials });
    await get();
    expect(http.requests.map(authorizationOf)).toEqual([
      undefined,
      `Basic ${Buffer.from('ann:pw').toString('base64')}`,
      'Bearer abc',
    ]);
  });

  test('another host is asked as nobody in particular, and must not be in this network', async () => {
    const credentials = [{ host: '203.0.113.7', user: 'ann', password: 'pw' }];
    const { http, get } = scene(publicOnly('https://198.51.100.9/token'), { credentials });
    expect(await get()).toBe(200);
    const asked = http.requests.filter(({ url }) => url.host === '198.51.100.9');
    expect(asked.map((request) => [authorizationOf(request), request.publicOnly])).toEqual([[undefined, true]]);
  });

  test.each([
    ['http://203.0.113.7/token', /without encryption: refused/],
    ['file:///etc/passwd', /no address/],
    ['https://ann:pw@203.0.113.7/token', /no address/],
    ['', /no address/],
  ])('are not fetched from %j', async (realm, message) => {
    const { http, get } = scene(() => ({ status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}"` } }));
    await expect(get()).rejects.toThrow(message);
    expect(http.requests).toHaveLength(1);
  });

  test.each([{}, { token: 7 }, { token: 'a\r\nb: c' }, { token: '' }])('%j is none', async (token) => {
    await expect(scene(publicOnly('https://203.0.113.7/token', token)).get()).rejects.toThrow('is no token');
  });

  test('that do not help are a accessDenied, not a loop', async () => {
    const { http, get } = scene((request) =>
      request.url.pathname === '/token'
        ? { status: 200, body: '{"token":"useless"}' }
        : { status: 401, headers: { 'www-authenticate': 'Bearer realm="https://203.0.113.7/token"' } },
    );
    await expect(get()).rejects.toMatchObject({ code: 'registry_denied', message: /^unauthorized: access denied/ });
    expect(http.requests).toHaveLength(3);
  });
});

describe('redirects', () => {
  const moved =
    (location: string) =>
    (request: RegistryRequest): FakeAnswer => {
      if (request.url.pathname.endsWith('/there')) return { status: 200 };
      return authorizationOf(request) === 'Bearer abc' && request.url.pathname.startsWith('/v2/')
        ? { status: 307, headers: { location } }
        : publicOnly('https://203.0.113.7/token')(request);
    };

  test('to another host: without the token, and not into this network', async () => {
    const { http, get } = scene(moved('https://198.51.100.9/there'));
    expect(await get('blobs/x')).toBe(200);
    const { url, publicOnly: isGuarded } = http.requests.at(-1) as RegistryRequest;
    expect([url.href, isGuarded]).toEqual(['https://198.51.100.9/there', true]);
    expect(authorizationOf(http.requests.at(-1) as RegistryRequest)).toBeUndefined();
  });

  test('on the own host: with it', async () => {
    const { http, get } = scene(moved('/v3/there'));
    await get('blobs/x');
    expect(authorizationOf(http.requests.at(-1) as RegistryRequest)).toBe('Bearer abc');
  });

  test('to another port of the own host: without it', async () => {
    const { http, get } = scene(moved('https://203.0.113.7:8443/there'));
    await get('blobs/x');
    expect(authorizationOf(http.requests.at(-1) as RegistryRequest)).toBeUndefined();
  });

  test.each([
    ['https://10.0.0.1', false],
    ['https://203.0.113.7', true],
  ])('from %s, insecure %s, may lead into this network', async (origin, insecure) => {
    const { http, get } = scene(
      ({ url }) =>
        url.hostname === '192.168.0.9'
          ? { status: 200 }
          : { status: 302, headers: { location: 'https://192.168.0.9/there' } },
      { origin, insecure },
    );
    expect(await get()).toBe(200);
    expect(http.requests.at(-1)?.publicOnly).toBe(false);
  });

  test.each([
    ['http://198.51.100.9/there', /without encryption: refused/],
    ['gopher://198.51.100.9/', /no address/],
    ['http://', /no address/],
  ])('to %s are refused', async (location, message) => {
    await expect(scene(moved(location)).get('blobs/x')).rejects.toMatchObject({
      code: 'registry_invalid_response',
      message,
    });
  });

  test('without end are not followed for ever', async () => {
    const { http, get } = scene(() => ({ status: 302, headers: { location: '/again' } }));
    await expect(get()).rejects.toThrow('without end');
    expect(http.requests.length).toBeLessThan(10);
  });
});

test('a library that wants a password we do not have', async () => {
  const { get } = scene(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }));
  await expect(get()).rejects.toThrow(/wants a name and a password; the setting library_credentials/);
});

test('a password is sent to the host it is for, and only when it is asked for', async () => {
  const credentials = [{ host: '203.0.113.7', user: 'ann', password: 'p:w' }];
  const { http, get } = scene(
    (request) =>
      authorizationOf(request) === undefined
        ? { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }
        : { status: 200 },
    { credentials },
  );
  expect([await get(), await get()]).toEqual([200, 200]);
  const basic = `Basic ${Buffer.from('ann:p:w').toString('base64')}`;
  expect(http.requests.map(authorizationOf)).toEqual([undefined, basic, basic]);
});
