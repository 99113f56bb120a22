import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createKeyFixture } from '../../../../test/support/key-fixture.ts';
import type { NewKey } from './edit-keys.ts';
import { toCallerKey } from './key-record.ts';
import { formatKey, newKeyId, newSecret } from './key-text.ts';
import { formatSessionCookie, readSessionCookie, sessionSeconds } from './sessions.ts';

const clock = createFakeClock();
const fixture = createKeyFixture(clock);
const { authenticator, sessions } = fixture;
let anna: NewKey;
let expired: NewKey;
beforeAll(async () => {
  anna = await fixture.create('anna', { scope: 'manage' });
  expired = await fixture.create('old', { expiresAt: clock.now() });
});
afterAll(() => fixture.remove());

const who = (headers: IncomingHttpHeaders) => authenticator.identify(headers)?.name;
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

describe('a key is accepted', () => {
  test.each<[string, (text: string) => IncomingHttpHeaders]>([
    ['as Authorization: Bearer', bearer],
    ['with another spelling of Bearer', (text) => ({ authorization: `bearer  ${text} ` })],
    ['as x-api-key', (text) => ({ 'x-api-key': text })],
    ['next to a placeholder', (text) => ({ ...bearer('ollama'), 'x-api-key': text })],
  ])('%s', (_, headers) => {
    expect(who(headers(anna.text))).toBe('anna');
  });
});

describe('refused', () => {
  test.each<[string, () => IncomingHttpHeaders, string]>([
    ['no key', () => ({}), 'this server needs a key'],
    ['another scheme', () => ({ authorization: `Basic ${anna.text}` }), 'this server needs a key'],
    ['a placeholder', () => bearer('ollama'), 'the key is not valid'],
    ['a wrong secret', () => bearer(formatKey({ id: anna.record.id, secret: newSecret() })), 'the key is not valid'],
    ['an unknown id', () => bearer(formatKey({ id: newKeyId(), secret: newSecret() })), 'the key is not valid'],
    ['an expired key', () => bearer(expired.text), 'the key "old" has expired'],
    ['an unknown session', () => ({ cookie: 'hearth_session=x' }), 'the key is not valid'],
  ])('%s', (_, headers, message) => {
    expect(who(headers())).toBeUndefined();
    const authorize = () => authenticator.authorize(headers(), undefined, { scope: 'infer' });
    expect(authorize).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    expect(authorize).toThrow(message);
    expect(() => authenticator.authorize(headers(), undefined, undefined)).toThrow(message);
    void authenticator.authorize(headers(), undefined, { scope: 'open' });
  });
});

test('a key that lacks the scope is told which one it needs', () => {
  const headers = bearer(anna.text);
  const key = authenticator.identify(headers);
  for (const scope of ['infer', 'manage'] as const) void authenticator.authorize(headers, key, { scope });
  expect(() => authenticator.authorize(headers, key, { scope: 'admin' })).toThrow(
    expect.objectContaining({
      code: 'missing_scope',
      message: 'this needs a key with the scope admin; the key "anna" has manage',
    }),
  );
});

test('only requests that run a model count in a quota', async () => {
  const { record, text } = await fixture.create('limited', { requestsPerMinute: 1 });
  const send = (metered?: true) =>
    authenticator.authorize(bearer(text), toCallerKey(record), {
      scope: 'infer',
      metered,
    });
  for (let request = 0; request < 10; request++) void send();
  void send(true);
  expect(() => send(true)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  void send();
});

describe('a session', () => {
  const cookieOf = (value: string) => ({ cookie: `a=b; hearth_session=${value}; c=d` });

  test('stands for its key, until it ends', () => {
    const value = sessions.open(anna.record);
    expect(who(cookieOf(value))).toBe('anna');
    sessions.end(value);
    expect(who(cookieOf(value))).toBeUndefined();
  });

  test('does not outlive a week', () => {
    const value = sessions.open(anna.record);
    clock.advance(sessionSeconds * 1000 - 1);
    expect(who(cookieOf(value))).toBe('anna');
    clock.advance(1);
    expect(who(cookieOf(value))).toBeUndefined();
  });

  test('counts only for pages of this server', () => {
    const headers = { ...cookieOf(sessions.open(anna.record)), host: '127.0.0.1:11434' };
    expect(who({ ...headers, origin: 'http://127.0.0.1:11434', 'sec-fetch-site': 'same-origin' })).toBe('anna');
    expect(who({ ...headers, origin: 'http://127.0.0.1:3000' })).toBeUndefined();
    expect(who({ ...headers, 'sec-fetch-site': 'same-site' })).toBeUndefined();
  });

  test('ends with the secret of its key', async () => {
    const other = await fixture.create('bert');
    const value = sessions.open(other.record);
    await fixture.editor.rotate('bert');
    expect(who(cookieOf(value))).toBeUndefined();
  });

  test('has a cookie that scripts cannot read and other sites do not send', () => {
    const cookie = formatSessionCookie('x', { secure: true });
    expect(cookie).toBe(`hearth_session=x; Max-Age=${sessionSeconds}; Path=/; HttpOnly; SameSite=Strict; Secure`);
    expect(formatSessionCookie('x', { secure: false })).not.toContain('Secure');
    expect(formatSessionCookie(undefined, { secure: false })).toContain('hearth_session=; Max-Age=0');
    expect(readSessionCookie('xhearth_session=1; hearth_session=2')).toBe('2');
    expect(readSessionCookie(undefined)).toBeUndefined();
  });
});
