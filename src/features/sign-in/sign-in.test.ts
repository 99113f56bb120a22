// Sign-in against a real provider, which runs in this process.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type SignInFixture, startSignIn, Visitor } from '../../../test/support/sign-in-fixture.ts';
import { toReturnPath } from './sign-in.ts';

const minute = 60_000;
let fixture: SignInFixture;
beforeAll(async () => {
  fixture = await startSignIn({
    HEARTH_OIDC_ADMINS: 'group:ml,email:root@example.com',
    HEARTH_OIDC_USERS: 'group:staff',
  });
});
afterEach(() => {
  fixture.provider.isDown = false;
  fixture.provider.scripted.clear();
});
afterAll(() => fixture.close());

function person(name: string, claims: object = { groups: ['staff'] }): string {
  fixture.provider.people.set(name, { preferred_username: name, ...claims });
  return name;
}
const sessionOf = async (visitor: Visitor) => (await visitor.send('GET', '/api/session')).json();

describe('a user', () => {
  test.each([
    ['of the group of users', { groups: ['staff'] }, 'infer'],
    ['of the group of administrators', { groups: ['x', 'ml'] }, 'admin'],
    ['with a verified address', { email: 'root@example.com', email_verified: true }, 'admin'],
  ])('%s', async (_, claims, scope) => {
    const visitor = new Visitor(fixture);
    const response = await visitor.signIn(person(`role-${scope}`, claims));
    expect([response.statusCode, response.headers.location]).toEqual([303, 'https://hearth.example/']);
    expect(await sessionOf(visitor)).toMatchObject({ name: `role-${scope}`, scope, is_user: true });
    expect((await visitor.send('GET', '/api/keys')).statusCode).toBe(scope === 'admin' ? 200 : 403);
  });

  test.each([
    ['of another group', { groups: ['other'] }],
    ['without groups', {}],
    ['with an address that is not verified', { email: 'root@example.com', email_verified: false }],
    ['with a group of a similar name', { groups: ['staff2', 'Staff', 'ml '] }],
    ['with a group that is not a list', { groups: { 0: 'staff', length: 1 } }],
    ['with very many groups', { groups: Array.from({ length: 2001 }, () => 'staff') }],
  ])('%s is refused', async (_, claims) => {
    const visitor = new Visitor(fixture);
    const { headers } = await visitor.signIn(person('stranger', claims));
    expect(headers.location).toBe('https://hearth.example/?sign-in=refused');
    expect([headers['set-cookie']].flat().join()).not.toContain('hearth_session');
    expect(await sessionOf(visitor)).toEqual({
      key_required: true,
      sign_in_url: 'https://hearth.example/api/sign-in',
    });
  });

  test('has cookies that scripts cannot read and other sites do not send', async () => {
    const visitor = new Visitor(fixture);
    const begun = await visitor.visit('/api/sign-in');
    expect(String(begun.headers['set-cookie'])).toMatch(
      /^__Host-hearth_sign_in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const { headers } = await new Visitor(fixture).signIn(person('cookies'));
    const [forgotten, session] = headers['set-cookie'] as unknown as string[];
    expect(forgotten).toMatch(/^__Host-hearth_sign_in=; Max-Age=0; /);
    expect(session).toMatch(/^hearth_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  test('signs out here, and learns where to sign out of the provider', async () => {
    const visitor = new Visitor(fixture);
    await visitor.signIn(person('leaving'));
    const { sign_out_url: url } = (await visitor.send('DELETE', '/api/session')).json();
    const { origin, searchParams } = new URL(url);
    expect([origin, searchParams.get('post_logout_redirect_uri')]).toEqual([
      fixture.provider.issuer,
      'https://hearth.example/',
    ]);
    expect((await sessionOf(visitor)).name).toBeUndefined();
  });

  test('shares a name with nobody', async () => {
    const visitors = [new Visitor(fixture), new Visitor(fixture)];
    person('twin-1', { groups: ['staff'], preferred_username: 'Twin <script>' });
    person('twin-2', { groups: ['staff'], preferred_username: 'Twin <script>' });
    await visitors[0]?.signIn('twin-1');
    await visitors[1]?.signIn('twin-2');
    const names = await Promise.all(visitors.map(async (visitor) => (await sessionOf(visitor)).name));
    expect(names[0]).toBe('Twin.script');
    expect(names[1]).toMatch(/^Twin\.script-[0-9a-f]{16}$/);
  });
});

describe('nobody gets in', () => {
  const failed = 'https://hearth.example/?sign-in=failed';
  const refused = 'https://hearth.example/?sign-in=refused';
  const begin = async (visitor: Visitor): Promise<string> => {
    fixture.provider.visitor = person('victim');
    return visitor.goToProvider(String((await visitor.visit('/api/sign-in')).headers.location));
  };
  const changed = (path: string, parameter: string, value: string): string => {
    const url = new URL(path, 'https://hearth.example');
    url.searchParams.set(parameter, value);
    return url.pathname + url.search;
  };

  test.each([
    ['state', 'x'.repeat(43)],
    ['iss', 'https://evil.example'],
    ['iss', ''],
    ['state', ''],
  ])('with another %s', async (parameter, value) => {
    const visitor = new Visitor(fixture);
    const back = await begin(visitor);
    expect((await visitor.visit(changed(back, parameter, value))).headers.location).toBe(failed);
    expect((await sessionOf(visitor)).name).toBeUndefined();
  });

  test('with another code', async () => {
    const visitor = new Visitor(fixture);
    expect((await visitor.visit(changed(await begin(visitor), 'code', 'x'))).headers.location).toBe(refused);
  });

  test('in another browser than the one that began', async () => {
    const back = await begin(new Visitor(fixture));
    const other = new Visitor(fixture);
    expect((await other.visit(back)).headers.location).toBe(failed);
    await other.visit('/api/sign-in');
    expect((await other.visit(back)).headers.location).toBe(failed);
  });

  test('with a code that was used', async () => {
    const visitor = new Visitor(fixture);
    const { headers } = await visitor.visit('/api/sign-in');
    const cookie = String(headers['set-cookie']).split(';', 1)[0];
    fixture.provider.visitor = person('victim');
    const back = await visitor.goToProvider(String(headers.location));
    const replay = () => fixture.app.inject({ url: back, headers: { host: 'hearth.example', cookie } });
    expect((await replay()).headers.location).toBe('https://hearth.example/');
    expect((await replay()).headers.location).toBe(refused);
  });

  test('with a nonce of another sign-in', async () => {
    const visitor = new Visitor(fixture);
    fixture.provider.visitor = person('victim');
    const url = new URL(String((await visitor.visit('/api/sign-in')).headers.location));
    url.searchParams.set('nonce', 'another');
    expect((await visitor.visit(await visitor.goToProvider(url.href))).headers.location).toBe(failed);
  });

  test('with another PKCE challenge', async () => {
    const visitor = new Visitor(fixture);
    fixture.provider.visitor = person('victim');
    const url = new URL(String((await visitor.visit('/api/sign-in')).headers.location));
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    url.searchParams.set('code_challenge', 'A'.repeat(43));
    expect((await visitor.visit(await visitor.goToProvider(url.href))).headers.location).toBe(refused);
  });

  test('too late', async () => {
    const visitor = new Visitor(fixture);
    const back = await begin(visitor);
    fixture.advance(10 * minute);
    expect((await visitor.visit(back)).headers.location).toBe(failed);
  });

  test.each([
    ['a redirect', { status: 307, headers: { location: 'https://evil.example/token' } }],
    ['nonsense', { status: 200, headers: { 'content-type': 'application/json' }, body: '[1]' }],
    [
      'more than is read',
      { status: 200, headers: { 'content-type': 'application/json' }, body: `{"a":"${'x'.repeat(600_000)}"}` },
    ],
    [
      'a token of nobody',
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: 'eyJhbGciOiJub25lIn0.e30.' }),
      },
    ],
  ])('if the token endpoint sends %s', async (_, answer) => {
    const visitor = new Visitor(fixture);
    const back = await begin(visitor);
    fixture.provider.scripted.set('/token', answer);
    expect((await visitor.visit(back)).headers.location).toMatch(/sign-in=(failed|unavailable)$/);
    expect((await sessionOf(visitor)).name).toBeUndefined();
  });
});

test('a user comes back to where the page was', async () => {
  const { headers } = await new Visitor(fixture).signIn(person('linked'), '/api/sign-in?return_to=/%23/chat/1');
  expect(headers.location).toBe('https://hearth.example/#/chat/1');
});

test.each([
  ['/#/chat/1', '/#/chat/1'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example/', '/'],
  ['https://hearth.example/#/chat/1', '/'],
  ['javascript:alert(1)', '/'],
  ['/\t/evil.example', '/'],
  ['/#\r\nset-cookie: a=b', '/'],
  ['/api/session', '/'],
  ['/@evil.example', '/'],
  ['/#'.padEnd(2000, 'x'), '/'],
  [['/#/chat/1', '//evil.example'], '/'],
  [undefined, '/'],
])('return_to never leads to another server (%#)', (value, path) => {
  expect(toReturnPath(value, 'https://hearth.example')).toBe(path);
});

describe('while a user is signed in, the provider', () => {
  const enter = async (name: string): Promise<Visitor> => {
    const visitor = new Visitor(fixture);
    await visitor.signIn(person(name));
    expect(await sessionOf(visitor)).toMatchObject({ name });
    return visitor;
  };
  const idOf = async (name: string): Promise<string> => {
    const admin = new Visitor(fixture);
    await admin.signIn(person('root', { groups: ['ml'] }));
    const { users } = (await admin.send('GET', '/api/users')).json();
    return users.find((user: { readonly name: string }) => user.name === name).id;
  };
  /** Resolves when the provider has been asked. */
  const pass = async (milliseconds: number): Promise<void> => {
    const rounds = () => fixture.log.filter((line) => line.includes('asked the provider')).length;
    const before = rounds();
    fixture.advance(milliseconds);
    await expect.poll(rounds, { interval: 5 }).toBeGreaterThan(before);
  };

  test('confirms the access at intervals', async () => {
    const visitor = await enter('staying');
    for (let round = 0; round < 4; round++) await pass(20 * minute);
    expect(await sessionOf(visitor)).toMatchObject({ name: 'staying' });
  });

  test('takes the group away', async () => {
    const visitor = await enter('losing');
    const id = await idOf('losing');
    expect(fixture.hasAccess(id)).toBe(true);
    person('losing', { groups: [] });
    await pass(5 * minute);
    expect((await sessionOf(visitor)).name).toBeUndefined();
    expect((await visitor.send('GET', '/api/keys')).statusCode).toBe(401);
    expect(fixture.hasAccess(id)).toBe(false);
  });

  test('makes a user an administrator, and the other way round', async () => {
    const visitor = await enter('rising');
    person('rising', { groups: ['ml'] });
    await pass(5 * minute);
    expect((await sessionOf(visitor)).scope).toBe('admin');
    person('rising', { groups: ['staff'] });
    await pass(5 * minute);
    expect((await sessionOf(visitor)).scope).toBe('infer');
  });

  test('removes the account', async () => {
    const visitor = await enter('removed');
    fixture.provider.people.delete('removed');
    await pass(5 * minute);
    expect((await sessionOf(visitor)).name).toBeUndefined();
  });

  test('is down: nobody is locked out for an hour', async () => {
    const visitor = await enter('waiting');
    const id = await idOf('waiting');
    fixture.provider.isDown = true;
    await pass(55 * minute);
    expect(await sessionOf(visitor)).toMatchObject({ name: 'waiting' });
    await pass(5 * minute);
    expect((await sessionOf(visitor)).name).toBeUndefined();
    const refusal = await visitor.send('GET', '/api/keys');
    expect([refusal.statusCode, refusal.json().error]).toEqual([401, 'the sign-in of "waiting" has expired']);
    expect(fixture.hasAccess(id)).toBe(true);
    expect(fixture.log.join('')).toContain('did not confirm');
    fixture.provider.isDown = false;
    await pass(5 * minute);
    expect(await sessionOf(visitor)).toMatchObject({ name: 'waiting' });
  });
});

test('tokens and secrets are in no log and not readable on disk', async () => {
  await fixture.restart();
  const path = join(fixture.folder, 'users.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { users } = JSON.parse(readFileSync(path, 'utf8'));
  const visitor = new Visitor(fixture);
  await visitor.signIn(person('quiet'));
  expect(users.length).toBeGreaterThan(3);
  const everything = fixture.log.join('\n') + readFileSync(path, 'utf8');
  expect(everything).not.toContain(fixture.provider.clientSecret);
  expect(everything).not.toMatch(/eyJ[\w-]+\.|code=|state=|Bearer/);
});
