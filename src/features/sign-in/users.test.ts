// Users and the keys that they create, with a real provider.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SignInFixture, startSignIn, Visitor } from '../../../test/support/sign-in-fixture.ts';

const hour = 3_600_000;
let fixture: SignInFixture;
let admin: Visitor;
beforeAll(async () => {
  fixture = await startSignIn({
    HEARTH_OIDC_ADMINS: 'group:ml',
    HEARTH_OIDC_GRACE: '-1',
    HEARTH_USER_KEYS: '2',
    HEARTH_USER_KEY_LIFE: '24h',
  });
  admin = await enter('admin', ['ml']);
});
afterAll(() => fixture.close());

async function enter(name: string, groups: readonly string[] = []): Promise<Visitor> {
  fixture.provider.people.set(name, { preferred_username: name, groups });
  const visitor = new Visitor(fixture);
  await visitor.signIn(name);
  return visitor;
}

const create = (visitor: Visitor, body: object) => visitor.send('POST', '/api/session/keys', body);
const withKey = async (key: string, url = '/api/session', method: 'GET' | 'POST' = 'GET', payload?: object) =>
  fixture.app.inject({ method, url, headers: { authorization: `Bearer ${key}` }, payload });
const userOf = async (name: string) =>
  (await admin.send('GET', '/api/users')).json().users.find((user: { name: string }) => user.name === name);

describe('a user creates a key', () => {
  test('that stands for the user', async () => {
    const anna = await enter('anna');
    const { key, name, scope, expires_at: end } = (await create(anna, { name: 'laptop' })).json();
    expect([name, scope]).toEqual(['anna.laptop', 'infer']);
    expect(Date.parse(end)).toBeLessThanOrEqual(Date.now() + 24 * hour);
    expect((await withKey(key)).json()).toMatchObject({ name: 'anna', scope: 'infer', is_user: true });
    expect((await anna.send('GET', '/api/session/keys')).json()).toMatchObject({
      keys: [{ name: 'anna.laptop' }],
      max_keys: 2,
      max_hours: 24,
    });
    expect(await userOf('anna')).toMatchObject({ keys: ['anna.laptop'], state: 'active', tokens_today: 0 });
  });

  test('within the limits', async () => {
    const ben = await enter('ben');
    const late = new Date(Date.now() + 25 * hour).toISOString();
    for (const [body, status] of [
      [{ name: 'a', expires_at: late }, 400],
      [{ name: 'a', expires_at: 'tomorrow' }, 400],
      [{ name: 'a.b' }, 400],
      [{ name: '' }, 400],
      [{ name: 'x'.repeat(21) }, 400],
      [{ name: 'a', scope: 'admin' }, 403],
      [{ name: 'a', scope: 'manage' }, 403],
      [{ name: 'a' }, 200],
      [{ name: 'a' }, 400],
      [{ name: 'b' }, 200],
      [{ name: 'c' }, 400],
    ] as const)
      expect([body, (await create(ben, body)).statusCode]).toEqual([body, status]);
  });

  test('that creates no other', async () => {
    const { key } = (await create(await enter('carl'), { name: 'one' })).json();
    expect((await withKey(key, '/api/session/keys', 'POST', { name: 'two' })).statusCode).toBe(403);
    // A session that began with the key is no better.
    const begun = await withKey(key, '/api/session', 'POST', { key });
    const [cookie] = String(begun.headers['set-cookie']).split(';', 1);
    const headers = { cookie, host: 'hearth.example' };
    const asked = await fixture.app.inject({
      method: 'POST',
      url: '/api/session/keys',
      headers,
      payload: { name: 'x' },
    });
    expect([begun.statusCode, asked.statusCode]).toEqual([200, 403]);
  });

  test('that others can neither see nor revoke', async () => {
    const [dora, emil] = [await enter('dora'), await enter('emil')];
    await create(dora, { name: 'one' });
    expect((await emil.send('GET', '/api/session/keys')).json().keys).toEqual([]);
    expect((await emil.send('DELETE', '/api/session/keys/dora.one')).statusCode).toBe(404);
    expect((await dora.send('DELETE', '/api/session/keys/dora.one')).statusCode).toBe(200);
  });

  test('that an administrator cannot read', async () => {
    const { key } = (await create(await enter('fay'), { name: 'one' })).json();
    expect((await admin.send('POST', '/api/keys/fay.one/rotate')).statusCode).toBe(400);
    expect((await admin.send('DELETE', '/api/keys/fay.one')).statusCode).toBe(200);
    expect((await withKey(key)).json().name).toBeUndefined();
  });

  test('that loses what the user loses, and ends with its time', async () => {
    const { key } = (await create(admin, { name: 'ops', scope: 'admin' })).json();
    expect((await withKey(key, '/api/users')).statusCode).toBe(200);
    fixture.advance(24 * hour);
    expect((await withKey(key, '/api/users')).json().error).toMatch(/^the key of "admin" has expired/);
    // An expired key does not count.
    for (const name of ['a', 'b']) expect((await create(admin, { name })).statusCode).toBe(200);
  });
});

describe('an administrator', () => {
  test('blocks a user, and lets the user in again', async () => {
    const gus = await enter('gus');
    const { key } = (await create(gus, { name: 'one' })).json();
    const { id } = await userOf('gus');
    expect(fixture.hasAccess(id)).toBe(true);
    expect((await admin.send('POST', '/api/users/gus', { blocked: true })).json()).toMatchObject({ state: 'blocked' });
    expect(fixture.hasAccess(id)).toBe(false);
    for (const response of [await gus.send('GET', '/api/session'), await withKey(key)])
      expect(response.json().name).toBeUndefined();
    expect((await new Visitor(fixture).signIn('gus')).headers.location).toMatch(/sign-in=refused$/);
    await fixture.restart();
    admin = await enter('admin', ['ml']);
    expect(fixture.hasAccess(id)).toBe(false);
    expect((await new Visitor(fixture).signIn('gus')).headers.location).toMatch(/sign-in=refused$/);
    await admin.send('POST', '/api/users/gus', { blocked: false });
    expect(fixture.hasAccess(id)).toBe(true);
    expect((await withKey(key)).json().name).toBe('gus');
    expect((await new Visitor(fixture).signIn('gus')).headers.location).toBe('https://hearth.example/');
  });

  test('sets limits and takes them back', async () => {
    await enter('hal');
    const set = (body: object) => admin.send('POST', '/api/users/hal', body);
    expect((await set({ requests_per_minute: 5, tokens_per_day: 100, models: ['ember'] })).json()).toMatchObject({
      requests_per_minute: 5,
      tokens_per_day: 100,
      models: ['ember'],
    });
    expect((await set({ requests_per_minute: 0 })).json()).toMatchObject({ tokens_per_day: 100, models: ['ember'] });
    expect((await userOf('hal')).requests_per_minute).toBeUndefined();
    expect((await set({ tokens_per_day: -1 })).statusCode).toBe(400);
    expect((await set({ models: ['\n'] })).statusCode).toBe(400);
  });

  test('forgets a user with the keys', async () => {
    const ida = await enter('ida');
    const { key } = (await create(ida, { name: 'one' })).json();
    const { id } = await userOf('ida');
    expect((await admin.send('DELETE', '/api/users/ida')).statusCode).toBe(200);
    expect((await withKey(key)).json().name).toBeUndefined();
    expect((await admin.send('DELETE', '/api/users/ida')).statusCode).toBe(404);
    expect(fixture.hasAccess(id)).toBe(false);
    // A user who signs in again has the same conversations.
    await enter('ida');
    expect((await userOf('ida')).id).toBe(id);
  });

  test('is who the rules say', async () => {
    const jo = await enter('jo');
    for (const url of ['/api/users', '/api/keys']) expect((await jo.send('GET', url)).statusCode).toBe(403);
    expect((await jo.send('POST', '/api/users/jo', { tokens_per_day: 0 })).statusCode).toBe(403);
  });
});
