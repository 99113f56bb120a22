// Keys with a real server, real clients and the command line.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { hearth } from '../support/command.ts';
import { addEndlessModel } from '../support/models/endless-ember.ts';
import { startServer, type TestServer } from '../support/server.ts';

const home = mkdtempSync(join(tmpdir(), 'hearth-keys-'));
const environment = { HOME: home, HEARTH_KEYS_FILE: join(home, 'keys.json') };
const messages = [{ role: 'user' as const, content: 'Hi' }];
let server: TestServer;
const keys: Record<string, string> = {};

const command = (words: string[], more: Record<string, string> = {}) =>
  hearth(words, { url: server.url, environment: { ...environment, ...more } });
const createKey = async (name: string, ...options: string[]): Promise<string> => {
  const { code, stdout, stderr } = await command(['keys', 'create', name, ...options]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('is shown only now')]);
  keys[name] = stdout.trim();
  return stderr;
};
const send = (name: string, method: string, path: string, body?: object): Promise<Response> =>
  fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${keys[name]}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

beforeAll(async () => {
  server = await startServer({ environment });
  // Without keys, nothing is needed.
  expect((await fetch(`${server.url}/api/tags`)).status).toBe(200);
  // A page of another port of this machine must not lock the owner out.
  const headers = { origin: 'http://localhost:3000' };
  const first = { method: 'POST', headers, body: JSON.stringify({ name: 'page', scope: 'admin' }) };
  expect((await fetch(`${server.url}/api/keys`, first)).status).toBe(403);
  expect(await createKey('admin', '--scope', 'admin')).toMatch(
    /^This is the first key\. From now on, every request .* needs/,
  );
  await vi.waitUntil(async () => (await fetch(`${server.url}/api/tags`)).status === 401, { timeout: 30_000 });
  expect(await createKey('anna')).not.toContain('first key');
  await createKey('bert', '--models', 'ember');
  await createKey('carl', '--group', 'team');
  await createKey('dora', '--group', 'team');
  await createKey('tokens', '--tokens-per-day', '1');
  await createKey('revoked');
  await command(['keys', 'revoke', 'revoked']);
  const expired = { name: 'expired', scope: 'admin', expires_at: '2001-01-01T00:00:00Z' };
  keys['expired'] = ((await (await send('admin', 'POST', '/api/keys', expired)).json()) as { key: string }).key;
  keys['wrong'] = `${keys['anna']?.slice(0, -4)}0000`;
  keys['missing'] = 'none';
  await vi.waitUntil(async () => (await send('tokens', 'GET', '/api/tags')).ok, { timeout: 30_000 });
});
afterAll(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

/** How each client asks for an answer with a key. */
const clients: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
  openai: (key) =>
    new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 }).chat.completions.create({
      model: 'ember',
      messages,
      max_tokens: 2,
    }),
  anthropic: (key) =>
    new Anthropic({ baseURL: server.url, apiKey: key, maxRetries: 0 }).messages.create({
      model: 'ember',
      messages,
      max_tokens: 2,
    }),
  ollama: (key) =>
    new Ollama({ host: server.url, headers: { Authorization: `Bearer ${key}` } }).chat({
      model: 'ember',
      messages,
      options: { num_predict: 2 },
    }),
};

describe.each(Object.keys(clients))('%s', (name) => {
  const ask = (key: string): Promise<unknown> => clients[name]?.(keys[key] as string) as Promise<unknown>;

  test('is answered with a key', async () => {
    expect(await ask('anna')).toBeDefined();
  });

  test.each(['wrong', 'expired', 'revoked', 'missing'])('is refused with a key that is %s', async (key) => {
    const error = (await ask(key).catch((thrown: unknown) => thrown)) as { status?: number; status_code?: number };
    expect(error.status ?? error.status_code).toBe(401);
  });
});

test('the SDKs recognize the errors', async () => {
  await expect(clients['openai']?.('none')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(clients['anthropic']?.('none')).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  const { models } = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: keys['anna'], maxRetries: 0 });
  await expect(models.delete('ember')).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
});

describe('the command line', () => {
  test('says what to do without a key', async () => {
    const { code, stderr } = await command(['list']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('set HEARTH_API_KEY')]);
  });

  test('takes the key from the environment or from the credentials file', async () => {
    expect((await command(['list'], { HEARTH_API_KEY: keys['anna'] as string })).stdout).toContain('ember');
    const folder = mkdtempSync(join(tmpdir(), 'hearth-credentials-'));
    mkdirSync(join(folder, '.hearth'));
    const credentials = `["${new URL(server.url).host}"]\nkey = "${keys['anna']}"\n`;
    writeFileSync(join(folder, '.hearth', 'credentials'), credentials, { mode: 0o600 });
    const { stdout } = await hearth(['list'], { url: server.url, environment: { HOME: folder } });
    rmSync(folder, { recursive: true });
    expect(stdout).toContain('ember');
  });

  test('lists, rotates and revokes keys', async () => {
    await createKey('short', '--expires', '90d', '--requests-per-minute', '60');
    expect((await command(['keys', 'list'])).stdout).toMatch(/^short +infer +all +60/m);
    const rotated = await command(['keys', 'rotate', 'short']);
    expect(rotated.stdout.trim()).not.toBe(keys['short']);
    expect((await command(['keys', 'revoke', 'short'])).code).toBe(0);
    expect(await command(['keys', 'revoke', 'short'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no key "short"'),
    });
  });

  test('an administrator changes keys through the server', async () => {
    const client = createClient(server.url, { key: keys['admin'] });
    const { key } = await client.keys.create({ name: 'remote', requests_per_minute: 1 });
    keys['remote'] = key;
    const question = { model: 'ember', prompt: 'Hi', stream: false, options: { num_predict: 1 } };
    const ask = () => send('remote', 'POST', '/api/generate', question);
    expect((await ask()).status).toBe(200);
    const limited = await ask();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^[1-9]\d?$/)]);
    // What the page reads again and again does not run a model.
    for (const path of ['/api/tags', '/api/devices', '/api/usage'])
      expect((await send('remote', 'GET', path)).status).toBe(200);
    expect((await client.keys.list()).keys.map(({ name }) => name)).toContain('remote');
    expect((await client.keys.rotate('remote')).key).not.toBe(key);
    await client.keys.revoke('remote');
    client.close();
    expect((await send('anna', 'GET', '/api/keys')).status).toBe(403);
  });
});

describe('a key that is revoked', () => {
  /** Requests for an answer without an end, and what the last part of the stream says then. */
  const streams = [
    ['/api/chat', {}, '"code":"unauthorized"'],
    ['/v1/chat/completions', {}, '"code":"invalid_api_key"'],
    ['/v1/responses', { input: 'Hi' }, '"code":"invalid_api_key"'],
    ['/v1/messages', { max_tokens: 1_000_000 }, '"type":"authentication_error"'],
  ] as const;
  const begin = async (name: string, path: string, more: object): Promise<Response> => {
    const body = { model: 'endless', messages, options: { num_predict: -1 }, stream: true, ...more };
    const response = await send(name, 'POST', path, body);
    expect(response.status).toBe(200);
    return response;
  };
  const admin = () => createClient(server.url, { key: keys['admin'] });
  beforeAll(() => addEndlessModel(server.store, 'endless').then(() => {}));

  test.each(streams)('through the server ends its answers at once: %s', async (path, more, error) => {
    const client = admin();
    keys['gone'] = (await client.keys.create({ name: 'gone' })).key;
    const response = await begin('gone', path, more);
    await client.keys.revoke('gone');
    client.close();
    expect((await response.text()).trim().split('\n').at(-1)).toContain(error);
    expect((await send('gone', 'GET', '/api/tags')).status).toBe(401);
  });

  test('by the command ends its answers, and those of others go on', async () => {
    const client = admin();
    for (const name of ['gone', 'stays']) keys[name] = (await client.keys.create({ name })).key;
    const [gone, stays] = [await begin('gone', '/api/chat', {}), await begin('stays', '/api/chat', {})];
    const reader = (stays.body as ReadableStream<Uint8Array>).getReader();
    expect((await command(['keys', 'revoke', 'gone'])).code).toBe(0);
    expect(await gone.text()).toContain('the key is not valid any more');
    const part = await reader.read();
    expect(Buffer.from(part.value ?? []).toString()).toContain('"done":false');
    // A key with another secret is a revoked one to those who have the old secret.
    await client.keys.rotate('stays');
    let rest = '';
    for (let next = await reader.read(); !next.done; next = await reader.read()) rest += Buffer.from(next.value);
    expect(rest).toContain('the key is not valid any more');
    await client.keys.revoke('stays');
    client.close();
  });
});

test('a key that is saved is used by the commands of its user', async () => {
  const user = { HOME: join(home, 'user') };
  expect((await command(['list'], user)).code).not.toBe(0);
  const { code, stderr } = await command(['keys', 'create', 'user', '--save'], user);
  expect([code, stderr]).toEqual([0, expect.stringContaining('credentials')]);
  // The server notices a moment later that the file with the keys has changed.
  const lists = async (): Promise<void> =>
    expect(await command(['list'], user)).toMatchObject({ code: 0, stdout: expect.stringContaining('ember') });
  await vi.waitFor(lists, { timeout: 30_000 });
  await command(['keys', 'revoke', 'user']);
});

test('a page has a session, which scripts cannot read', async () => {
  const begun = await send('wrong', 'POST', '/api/session', { key: keys['anna'] });
  const cookie = begun.headers.get('set-cookie') ?? '';
  expect([begun.status, cookie]).toEqual([200, expect.stringMatching(/; HttpOnly; SameSite=Strict$/)]);
  const ask = () => fetch(`${server.url}/api/tags`, { headers: { cookie: cookie.split(';')[0] as string } });
  expect((await ask()).status).toBe(200);
  const headers = { cookie: cookie.split(';')[0] as string };
  await fetch(`${server.url}/api/session`, { method: 'DELETE', headers });
  expect((await ask()).status).toBe(401);
  expect((await send('wrong', 'POST', '/api/session', { key: keys['wrong'] })).status).toBe(401);
  expect((await send('wrong', 'POST', '/api/session', { key: 'a'.repeat(2000) })).status).toBe(413);
});

test('a key with patterns sees and uses only its models', async () => {
  const { models } = (await (await send('bert', 'GET', '/api/tags')).json()) as { models: { name: string }[] };
  expect(models.map(({ name }) => name)).toEqual(['ember:latest']);
  expect((await send('bert', 'POST', '/api/show', { model: 'ember-thinks' })).status).toBe(404);
  expect((await send('bert', 'POST', '/api/generate', { model: 'ember-thinks', prompt: 'Hi' })).status).toBe(404);
});

test('prompts are reused by the same key and in a group, but not by other keys', async () => {
  const prompt = Array.from({ length: 120 }, (_, index) => `line ${index}`).join(' ');
  const cachedFor = async (name: string): Promise<number> => {
    const body = { model: 'ember', max_tokens: 1, messages: [{ role: 'user', content: prompt }] };
    const response = await send(name, 'POST', '/v1/chat/completions', body);
    return ((await response.json()) as OpenAI.ChatCompletion).usage?.prompt_tokens_details?.cached_tokens ?? -1;
  };
  // Earlier requests of the same key have the same first tokens.
  for (const name of ['anna', 'bert', 'carl']) expect(await cachedFor(name)).toBeLessThan(50);
  expect(await cachedFor('anna')).toBeGreaterThan(100);
  expect(await cachedFor('dora')).toBeGreaterThan(100);
});

test('requests and stored responses of others are invisible, except to an administrator', async () => {
  const input = { model: 'ember', input: 'Hi', max_output_tokens: 2 };
  const { id } = (await (await send('anna', 'POST', '/v1/responses', input)).json()) as { id: string };
  const statusOf = async (name: string) => (await send(name, 'GET', `/v1/responses/${id}`)).status;
  expect([await statusOf('anna'), await statusOf('bert'), await statusOf('admin')]).toEqual([200, 404, 200]);
  const endless = { model: 'ember', prompt: 'Hi', options: { num_predict: -1, num_ctx: 4096 }, raw: true };
  const running = await send('anna', 'POST', '/api/generate', endless);
  const request = `/api/requests/${running.headers.get('x-request-id')}`;
  expect((await send('bert', 'DELETE', request)).status).toBe(404);
  // It may have ended by itself.
  expect([200, 404]).toContain((await send('admin', 'DELETE', request)).status);
  await running.text();
});

test('the tokens of a day can be used up', async () => {
  const ask = () => send('tokens', 'POST', '/api/generate', { model: 'ember', prompt: 'Hi', stream: false });
  expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect([refused.status, await refused.json()]).toEqual([429, expect.objectContaining({ code: 'rate_limited' })]);
});

test('requests at once do not exceed the tokens of a day together, and the rest is used by one that is limited', async () => {
  await createKey('crowd', '--tokens-per-day', '100');
  await vi.waitUntil(async () => (await send('crowd', 'GET', '/api/tags')).ok, { timeout: 30_000 });
  const body = { model: 'ember', prompt: 'Tell a story.', stream: false, options: { num_predict: 20 } };
  const ask = async (options: object = body.options) => {
    const response = await send('crowd', 'POST', '/api/generate', { ...body, options });
    const answer = (await response.json()) as Record<string, number | string>;
    const tokens = response.ok ? Number(answer['prompt_eval_count']) + Number(answer['eval_count']) : 0;
    return { status: response.status, tokens, answer };
  };
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask()));
  const used = answers.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(used).toBeGreaterThan(0);
  expect(used).toBeLessThanOrEqual(100);
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 429,
    answer: { code: 'rate_limited', error: expect.stringContaining('running requests') },
  });
  let total = used;
  // Each of these is alone. The last one is cut where the quota ends.
  for (let last = await ask({}); last.status === 200; last = await ask({})) {
    total += last.tokens;
    expect(last.answer['done_reason']).toMatch(/^(?:stop|length)$/);
  }
  expect(total).toBeGreaterThanOrEqual(100);
  expect(total).toBeLessThan(200);
});

test('no secret is logged', () => {
  expect(server.log()).toContain('outcome=unauthorized');
  const secrets = Object.values(keys).flatMap((key) => /^hearth_[0-9a-f]+_(.+)$/.exec(key)?.[1] ?? []);
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of secrets) expect(server.log()).not.toContain(secret);
});

test('a server on the network does not start without keys', async () => {
  await expect(startServer({ environment: { HEARTH_HOST: '0.0.0.0:0' } })).rejects.toThrow(
    'Create a key with `hearth keys create NAME --scope admin`',
  );
});
