import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createFakeHttp, type FakeHttp, type FakeResponse } from '../../../../test/support/registry/fake-http.ts';
import type { ResolveHost } from '../../../base/net/guarded-lookup.ts';
import { reachOf } from '../../../base/net/private-address.ts';
import { generatePrivateKey } from '../../keys/private-key.ts';
import { checkTokenRequest } from '../../keys/token-request.ts';
import type { RegistryRequest } from '../http/http-client.ts';
import { createAuthorizer, type Purpose, type RegistryCredentials } from './authorizer.ts';
import type { Repository } from './registry-address.ts';
import { createRegistrySession, type RegistrySession } from './registry-session.ts';

const key = generatePrivateKey('test');
const publicOnly = { kind: 'referred', reach: 'public' };
const signal = new AbortController().signal;
const authorizationOf = ({ headers = {} }: RegistryRequest): string | undefined => headers['authorization'];

interface Scene {
  readonly http: FakeHttp;
  readonly session: RegistrySession;
  readonly clock: ReturnType<typeof createFakeClock>;
  get(target?: string): Promise<number>;
}

function createScene(
  answer: (request: RegistryRequest) => FakeResponse,
  options: Partial<Repository['registry']> & { credentials?: RegistryCredentials[]; purpose?: Purpose } = {},
): Scene {
  const { origin = 'https://203.0.113.7', insecure = false, credentials = [], purpose = 'pull', ...hosts } = options;
  const clock = createFakeClock();
  const http = createFakeHttp(answer);
  const authorizer = createAuthorizer({ http, clock, credentials, loadKey: async () => key });
  const repository: Repository = { registry: { origin, insecure, ...hosts }, path: 'ns/model' };
  const session = createRegistrySession({ http, authorizer, repository, purpose });
  const get = async (target = 'manifests/latest'): Promise<number> =>
    (await session.send({ method: 'GET', target, signal })).status;
  return { http, session, clock, get };
}

/** A registry that requires a token, which it issues at `realm`. */
const requiringToken =
  (realm: string, token: object = { token: 'abc', expires_in: 300 }) =>
  (request: RegistryRequest): FakeResponse => {
    if (request.url.href.startsWith(realm)) return { status: 200, body: JSON.stringify(token) };
    if (authorizationOf(request) === 'Bearer abc') return { status: 200 };
    const challenge = `Bearer realm="${realm}",service="lib",scope="repository:ns/model:pull"`;
    return { status: 401, headers: { 'www-authenticate': challenge } };
  };

describe('tokens', () => {
  test('are requested once and reused until they expire', async () => {
    const { http, get, clock } = createScene(requiringToken('https://203.0.113.7/token'));
    expect([await get(), await get(), await get()]).toEqual([200, 200, 200]);
    expect(http.requests.filter(({ url }) => url.pathname === '/token')).toHaveLength(1);
    clock.advance(296_000);
    expect(await get()).toBe(200);
    expect(http.requests.filter(({ url }) => url.pathname === '/token')).toHaveLength(2);
  });

  test("a request to the registry's own host is signed, with a sorted query", async () => {
    const { http, get } = createScene(requiringToken('https://203.0.113.7/token'));
    await get();
    const request = http.requests.find(({ url }) => url.pathname === '/token') as RegistryRequest;
    const signed = checkTokenRequest({ url: request.url.href, authorization: authorizationOf(request) ?? '' });
    expect(signed.bytes).toEqual(key.publicKey.bytes);
    expect([...request.url.searchParams.keys()]).toEqual(['nonce', 'scope', 'service', 'ts']);
    expect(request.destination.kind).toBe('named');
  });

  test('a host that rejects the signature is asked again anonymously', async () => {
    const { http, get } = createScene((request) => {
      const isToken = request.url.pathname === '/token';
      if (isToken && authorizationOf(request) !== undefined) return { status: 400, body: 'what is this?' };
      return requiringToken('https://203.0.113.7/token')(request);
    });
    expect(await get()).toBe(200);
    expect(http.requests.filter(({ url }) => url.pathname === '/token').map(authorizationOf)).toEqual([
      expect.stringContaining(':'),
      undefined,
    ]);
  });

  test("a password is sent to the registry's own host instead of a signature", async () => {
    const credentials = [{ host: '203.0.113.7', user: 'ann', password: 'pw' }];
    const { http, get } = createScene(requiringToken('https://203.0.113.7/token'), { credentials });
    await get();
    expect(http.requests.map(authorizationOf)).toEqual([
      undefined,
      `Basic ${Buffer.from('ann:pw').toString('base64')}`,
      'Bearer abc',
    ]);
  });

  test('another host is asked anonymously and must be public', async () => {
    const credentials = [{ host: '203.0.113.7', user: 'ann', password: 'pw' }];
    const { http, get } = createScene(requiringToken('https://198.51.100.9/token'), { credentials });
    expect(await get()).toBe(200);
    const sent = http.requests.filter(({ url }) => url.host === '198.51.100.9');
    expect(sent.map((request) => [authorizationOf(request), request.destination])).toEqual([[undefined, publicOnly]]);
  });

  test('another host never receives a stored password, not even one that is configured for it', async () => {
    const credentials = [{ host: '198.51.100.9', user: 'ann', password: 'pw' }];
    const { http, get } = createScene(requiringToken('https://198.51.100.9/token'), { credentials });
    expect(await get()).toBe(200);
    const sent = http.requests.filter(({ url }) => url.host === '198.51.100.9');
    expect(sent.map(authorizationOf)).toEqual([undefined]);
  });

  test('the token service that belongs to a registry gets the password, no signature', async () => {
    const known = { credentialsHost: 'docker.io', tokenHost: '198.51.100.9' };
    const credentials = [{ host: 'docker.io', user: 'ann', password: 'pw' }];
    const sentTo = async (realm: string, given: RegistryCredentials[]) => {
      const { http, get } = createScene(requiringToken(realm), { credentials: given, ...known });
      expect(await get()).toBe(200);
      return http.requests.filter(({ url }) => url.href.startsWith(realm)).map(authorizationOf);
    };
    const basic = `Basic ${Buffer.from('ann:pw').toString('base64')}`;
    expect(await sentTo('https://198.51.100.9/token', credentials)).toEqual([basic]);
    expect(await sentTo('https://198.51.100.9/token', [])).toEqual([undefined]);
    expect(await sentTo('https://198.51.100.10/token', credentials)).toEqual([undefined]);
  });

  test.each([403, 500])('the answer of another host with status %d is not quoted', async (status) => {
    const { get } = createScene(({ url }) =>
      url.host === '198.51.100.9'
        ? { status, body: '{"error":"secret"}' }
        : { status: 401, headers: { 'www-authenticate': 'Bearer realm="https://198.51.100.9/token"' } },
    );
    const error = await get().catch(String);
    expect(error).toContain(`198.51.100.9 answered with status ${status}`);
    expect(error).not.toContain('secret');
  });

  test.each([
    ['http://203.0.113.7/token', /without TLS: refused/],
    ['file:///etc/passwd', /invalid URL/],
    ['https://ann:pw@203.0.113.7/token', /invalid URL/],
    ['', /invalid URL/],
  ])('are not fetched from %j', async (realm, message) => {
    const { http, get } = createScene(() => ({
      status: 401,
      headers: { 'www-authenticate': `Bearer realm="${realm}"` },
    }));
    await expect(get()).rejects.toThrow(message);
    expect(http.requests).toHaveLength(1);
  });

  test.each([{}, { token: 7 }, { token: 'a\r\nb: c' }, { token: '' }])('%j is rejected', async (token) => {
    await expect(createScene(requiringToken('https://203.0.113.7/token', token)).get()).rejects.toThrow(
      'sent an invalid token',
    );
  });

  test('that are rejected lead to an error, not a loop', async () => {
    const { http, get } = createScene((request) =>
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
    (request: RegistryRequest): FakeResponse => {
      if (request.url.pathname.endsWith('/there')) return { status: 200 };
      return authorizationOf(request) === 'Bearer abc' && request.url.pathname.startsWith('/v2/')
        ? { status: 307, headers: { location } }
        : requiringToken('https://203.0.113.7/token')(request);
    };

  test('to another host carry no token and must be public', async () => {
    const { http, get } = createScene(moved('https://198.51.100.9/there'));
    expect(await get('blobs/x')).toBe(200);
    const { url, destination } = http.requests.at(-1) as RegistryRequest;
    expect([url.href, destination]).toEqual(['https://198.51.100.9/there', publicOnly]);
    expect(authorizationOf(http.requests.at(-1) as RegistryRequest)).toBeUndefined();
  });

  test("on the registry's own host carry the token", async () => {
    const { http, get } = createScene(moved('/v3/there'));
    await get('blobs/x');
    expect(authorizationOf(http.requests.at(-1) as RegistryRequest)).toBe('Bearer abc');
  });

  test("to another port of the registry's host carry no token", async () => {
    const { http, get } = createScene(moved('https://203.0.113.7:8443/there'));
    await get('blobs/x');
    expect(authorizationOf(http.requests.at(-1) as RegistryRequest)).toBeUndefined();
  });

  test.each([
    ['https://10.0.0.1', false, 'private'],
    ['https://127.0.0.1', false, 'loopback'],
    ['https://203.0.113.7', true, 'public'],
    ['http://203.0.113.7', true, 'public'],
    ['https://169.254.1.1', true, 'public'],
  ])('from %s (insecure: %s) reach addresses that are %s at most', async (origin, insecure, reach) => {
    const { http, get } = createScene(
      ({ url }) =>
        url.hostname === '192.168.0.9'
          ? { status: 200 }
          : { status: 302, headers: { location: 'https://192.168.0.9/there' } },
      { origin, insecure },
    );
    expect(await get()).toBe(200);
    expect(http.requests.at(-1)?.destination).toEqual({ kind: 'referred', reach });
  });

  test.each([
    ['http://198.51.100.9/there', /without TLS: refused/],
    ['gopher://198.51.100.9/', /invalid URL/],
    ['http://', /invalid URL/],
  ])('to %s are refused', async (location, message) => {
    await expect(createScene(moved(location)).get('blobs/x')).rejects.toMatchObject({
      code: 'registry_invalid_response',
      message,
    });
  });

  test('are limited in number', async () => {
    const { http, get } = createScene(() => ({ status: 302, headers: { location: '/again' } }));
    await expect(get()).rejects.toThrow('redirects more than 5 times: refused');
    expect(http.requests.length).toBeLessThan(10);
  });
});

describe('a name that resolves to another address later', () => {
  const scene = (...answers: readonly (readonly string[])[]) => {
    const waiting = [...answers];
    const resolve: ResolveHost = async () => {
      const addresses = waiting.shift() ?? [];
      return { addresses: addresses.map((address) => ({ address, family: 4 })), reach: reachOf(addresses) };
    };
    let requests = 0;
    const http = createFakeHttp(({ url }) => {
      if (++requests === 2) throw new Error('connection lost');
      return url.hostname === 'rebind.example'
        ? { status: 302, headers: { location: 'http://b.example/' } }
        : { status: 200 };
    });
    const clock = createFakeClock();
    const authorizer = createAuthorizer({ http, clock, credentials: [], loadKey: async () => key });
    const repository: Repository = { registry: { origin: 'http://rebind.example', insecure: true }, path: 'ns/model' };
    return { http, session: createRegistrySession({ http, authorizer, repository, purpose: 'pull', resolve }) };
  };

  test('is connected to at the address that was checked', async () => {
    const { http, session } = scene(['10.0.0.1'], ['203.0.113.7']);
    await session.send({ method: 'GET', target: 'manifests/x', signal }).catch(() => {});
    expect(http.requests.map(({ destination }) => destination)).toEqual([
      { kind: 'named', addresses: [{ address: '10.0.0.1', family: 4 }] },
      { kind: 'referred', reach: 'private' },
    ]);
  });

  test('does not extend the reach of its redirects', async () => {
    const { http, session } = scene(['203.0.113.7'], ['10.0.0.1']);
    const get = () => session.send({ method: 'PUT', target: 'manifests/x', signal }).catch(() => {});
    // The second request fails, so that the name is resolved again.
    await get();
    await get();
    await session.send({ method: 'GET', target: 'manifests/x', signal });
    expect(http.requests.slice(-2).map(({ destination }) => destination)).toEqual([
      { kind: 'named', addresses: [{ address: '10.0.0.1', family: 4 }] },
      { kind: 'referred', reach: 'public' },
    ]);
  });
});

test('a registry that requires a password that is not configured', async () => {
  const { get } = createScene(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }));
  await expect(get()).rejects.toThrow(/requires a user name and a password; set registry_credentials/);
});

test('a password is sent only to its host and only after a challenge', async () => {
  const credentials = [{ host: '203.0.113.7', user: 'ann', password: 'p:w' }];
  const { http, get } = createScene(
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
