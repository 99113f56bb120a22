// Users of an OpenID Connect provider on two real servers with one PostgreSQL: the servers know the same users, and one that is
// blocked on one server has no access on the other.

import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRemoteModel, call, createSharedKey, startFront } from '../support/fronts.ts';
import { type HoldEndpoint, startHoldEndpoint } from '../support/hold-endpoint.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { postgresFolder, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { pause } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { Visitor } from '../support/sign-in-fixture.ts';

const publicUrl = 'https://hearth.example';
const ask = { model: 'held', messages: [{ role: 'user', content: 'Hi' }] };
const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await pause(10);
};

/** A browser behind a balancer, which sends its requests to `front`. */
function openBrowser(provider: OpenIdProvider, first: TestServer) {
  const send = async (options: Inject): Promise<LightMyRequestResponse> => {
    const { method, url, headers: { host, ...headers } = {}, payload } = options;
    const response = await fetch(browser.front.url + url, {
      method,
      headers,
      body: payload === undefined ? null : JSON.stringify(payload),
      redirect: 'manual',
    });
    const text = await response.text();
    return {
      statusCode: response.status,
      headers: { ...Object.fromEntries(response.headers), 'set-cookie': response.headers.getSetCookie() },
      json: () => JSON.parse(text),
    } as unknown as LightMyRequestResponse;
  };
  const app = { inject: send } as unknown as Pick<FastifyInstance, 'inject'>;
  const browser = { front: first, visitor: new Visitor({ provider, publicUrl, app }) };
  return browser;
}

const settingsOf = (provider: OpenIdProvider) => ({
  HEARTH_PUBLIC_URL: publicUrl,
  HEARTH_OIDC_ISSUER: provider.issuer,
  HEARTH_OIDC_CLIENT_ID: provider.clientId,
  HEARTH_OIDC_CLIENT_SECRET: provider.clientSecret,
  HEARTH_OIDC_USERS: 'group:staff',
  HEARTH_OIDC_REFRESH: '1s',
});

interface Inject {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: object;
}

type Browser = ReturnType<typeof openBrowser>;

describe.skipIf(postgresFolder === undefined)('users of two fronts', () => {
  let postgres: TestPostgres;
  let provider: OpenIdProvider;
  let endpoint: HoldEndpoint;
  let address: string;
  let admin: string;
  let environment: Readonly<Record<string, string>>;
  let fronts: readonly [TestServer, TestServer];

  beforeAll(async () => {
    [postgres, provider, endpoint] = await Promise.all([
      startPostgres(),
      startOpenIdProvider(publicUrl),
      startHoldEndpoint('held'),
    ]);
    address = postgres.createDatabase();
    admin = (await createSharedKey(address, { name: 'ops', scope: 'admin' })).text;
    environment = settingsOf(provider);
    fronts = [await startFront(address, { environment }), await startFront(address, { environment })];
    for (const front of fronts) await addRemoteModel(front, { url: endpoint.url, key: admin });
  });
  afterAll(async () => {
    for (const front of fronts ?? []) await front.stop();
    await endpoint?.close();
    await provider?.close();
    await postgres?.remove();
  });

  /** Begins on the first front, and comes back to the second one. */
  const enter = async (name: string): Promise<Browser> => {
    provider.people.set(name, { preferred_username: name, groups: ['staff'] });
    provider.visitor = name;
    const browser = openBrowser(provider, fronts[0]);
    const { headers } = await browser.visitor.visit('/api/sign-in');
    const back = await browser.visitor.goToProvider(String(headers.location));
    browser.front = fronts[1];
    expect((await browser.visitor.visit(back)).headers.location).toBe(`${publicUrl}/`);
    return browser;
  };
  const nameOn = async (front: TestServer, browser: Browser): Promise<unknown> => {
    browser.front = front;
    return (await browser.visitor.send('GET', '/api/session')).json().name;
  };
  const change = (front: TestServer, name: string, body: object) =>
    call(front, `/api/users/${name}`, { key: admin, body });
  const userOn = async (front: TestServer, name: string): Promise<unknown> => {
    const { body } = await call(front, '/api/users', { key: admin });
    return (body['users'] as readonly { readonly name: string }[]).find((user) => user.name === name);
  };

  test('a sign-in that begins on one front ends on the other, and its session is valid on both', async () => {
    const browser = await enter('anna');
    for (const front of [...fronts, fronts[0]]) expect(await nameOn(front, browser)).toBe('anna');
    browser.front = fronts[0];
    await browser.visitor.send('DELETE', '/api/session');
    await until(async () => (await nameOn(fronts[1], browser)) === undefined);
  });

  test('a user who is blocked on one front is refused on the other within a second, and may come back', async () => {
    const browser = await enter('bert');
    browser.front = fronts[1];
    const { key } = (await browser.visitor.send('POST', '/api/session/keys', { name: 'laptop' })).json();
    const running = fetch(`${fronts[1].url}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(ask),
    }).then((response) => response.text());
    await until(() => endpoint.held() === 1);
    expect((await change(fronts[0], 'bert', { blocked: true })).body).toMatchObject({ state: 'blocked' });
    const blockedAt = performance.now();
    await until(async () => (await nameOn(fronts[1], browser)) === undefined);
    console.log(`blocked on the other front after ${Math.round(performance.now() - blockedAt)} ms`);
    expect((await call(fronts[1], '/api/tags', { key })).status).toBe(401);
    expect(await running).toContain('the key is not valid any more');
    await until(() => endpoint.held() === 0);
    browser.front = fronts[1];
    expect((await browser.visitor.signIn('bert')).headers.location).toBe(`${publicUrl}/?sign-in=refused`);
    await change(fronts[1], 'bert', { blocked: false });
    await until(async () => (await call(fronts[0], '/api/tags', { key })).status === 200);
    // The session has ended with the block.
    expect(await nameOn(fronts[0], browser)).toBeUndefined();
  });

  test('limits of a user are those of both fronts together', async () => {
    const browser = await enter('cora');
    const limits = { requests_per_minute: 4, tokens_per_day: 1000, models: ['held'] };
    await change(fronts[0], 'cora', limits);
    await until(async () => JSON.stringify(await userOn(fronts[1], 'cora')).includes('"requests_per_minute":4'));
    expect(await userOn(fronts[1], 'cora')).toMatchObject(limits);
    const statuses: number[] = [];
    const answers = Array.from({ length: 10 }, async (_, index) => {
      browser.front = fronts[index % 2] as TestServer;
      const body = { ...ask, stream: false, options: { num_predict: 1 } };
      statuses.push((await browser.visitor.send('POST', '/api/chat', body)).statusCode);
    });
    await until(() => statuses.length === 6 && endpoint.held() === 4);
    endpoint.release();
    await Promise.all(answers);
    expect(statuses.sort()).toEqual([...Array(4).fill(200), ...Array(6).fill(429)]);
    const used = (await userOn(fronts[0], 'cora')) as { readonly tokens_today: number };
    await until(async () => ((await userOn(fronts[1], 'cora')) as typeof used).tokens_today > 0);
  });

  test('two changes at once on two fronts are both kept', async () => {
    await enter('dora');
    for (let round = 1; round <= 10; round++) {
      await Promise.all([
        change(fronts[0], 'dora', { requests_per_minute: round }),
        change(fronts[1], 'dora', { tokens_per_day: round }),
      ]);
      await until(async () => {
        const users = await Promise.all(fronts.map((front) => userOn(front, 'dora')));
        return users.every((user) => JSON.stringify(user).includes(`"tokens_per_day":${round}`));
      });
      for (const front of fronts)
        expect(await userOn(front, 'dora')).toMatchObject({ requests_per_minute: round, tokens_per_day: round });
    }
  });

  test('the provider is asked about a user by one front at a time, and a refusal counts on both', async () => {
    const browser = await enter('emil');
    const confirmedAt = async (): Promise<number> =>
      Date.parse(((await userOn(fronts[0], 'emil')) as { readonly confirmed_at: string }).confirmed_at);
    const asked = (): number => provider.requests.get('/token') ?? 0;
    const active = ((await call(fronts[0], '/api/users', { key: admin })).body['users'] as readonly object[]).length;
    const [first, askedBefore] = [await confirmedAt(), asked()];
    await until(async () => (await confirmedAt()) > first + 5000);
    // Two fronts that both asked would ask ten times about each user.
    expect(asked() - askedBefore).toBeLessThanOrEqual(7 * active);
    for (const front of fronts) expect(await nameOn(front, browser)).toBe('emil');
    provider.people.set('emil', { preferred_username: 'emil', groups: [] });
    for (const front of fronts) await until(async () => (await nameOn(front, browser)) === undefined);
  });

  test('a user who is removed on one front is gone on the other, with the keys', async () => {
    const browser = await enter('fina');
    const { key } = (await browser.visitor.send('POST', '/api/session/keys', { name: 'one' })).json();
    expect((await call(fronts[0], '/api/users/fina', { key: admin, method: 'DELETE' })).status).toBe(200);
    await until(async () => (await userOn(fronts[1], 'fina')) === undefined);
    await until(async () => (await call(fronts[1], '/api/tags', { key })).status === 401);
    expect((await call(fronts[1], '/api/users/fina', { key: admin, method: 'DELETE' })).status).toBe(404);
  });

  test('changes after the database was away are known on both fronts', async () => {
    const browser = await enter('hans');
    await postgres.stop();
    try {
      await until(async () => (await change(fronts[0], 'hans', { blocked: true })).status === 503);
    } finally {
      await postgres.start();
    }
    await until(async () => (await change(fronts[0], 'hans', { blocked: true })).status === 200);
    await until(async () => (await userOn(fronts[1], 'hans')) !== undefined);
    await until(async () => (await nameOn(fronts[1], browser)) === undefined);
  });

  test('a front that starts later knows the users', async () => {
    await enter('gero');
    await change(fronts[0], 'gero', { blocked: true });
    const late = await startFront(address, { environment });
    try {
      expect(await userOn(late, 'gero')).toMatchObject({ state: 'blocked' });
    } finally {
      await late.stop();
    }
  });
});
