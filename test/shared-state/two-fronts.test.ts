// Two real servers with one PostgreSQL: what one of them is told is known to the other, also when one is killed, and what
// happens while the database is away.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewKey } from '../../src/features/keys/access/edit-keys.ts';
import { addRemoteModel, call, createSharedKey, startFront } from '../support/fronts.ts';
import { type HoldEndpoint, startHoldEndpoint } from '../support/hold-endpoint.ts';
import { postgresFolder, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { pause } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const ask = { model: 'held', messages: [{ role: 'user', content: 'Hi' }] };
const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await pause(10);
};

describe.skipIf(postgresFolder === undefined)('two fronts', () => {
  let postgres: TestPostgres;
  let address: string;
  let endpoint: HoldEndpoint;
  let admin: NewKey;
  let fronts: readonly [TestServer, TestServer];

  beforeAll(async () => {
    [postgres, endpoint] = await Promise.all([startPostgres(), startHoldEndpoint('held')]);
    address = postgres.createDatabase();
    admin = await createSharedKey(address, { name: 'ops', scope: 'admin' });
    fronts = [await startFront(address), await startFront(address, { environment: { HEARTH_STATE_OPTIONAL: '1' } })];
    for (const front of fronts) await addRemoteModel(front, { url: endpoint.url, key: admin.text });
  });
  afterAll(async () => {
    for (const front of fronts ?? []) await front.stop();
    await endpoint?.close();
    await postgres?.remove();
  });

  const createKey = async (front: TestServer, grant: object): Promise<string> => {
    const { status, body } = await call(front, '/api/keys', { key: admin.text, body: grant });
    expect(status).toBe(200);
    return String(body['key']);
  };

  test('of 1,000 requests at once, exactly 100 fit in a quota', async () => {
    // A request reserves 32 tokens for the template, one for the prompt and 67 for the answer.
    const key = await createKey(fronts[0], { name: 'quota', tokens_per_day: 100 * 100 });
    const statuses: number[] = [];
    const body = { ...ask, stream: false, options: { num_predict: 67 } };
    const answers = Array.from({ length: 1000 }, async (_, index) => {
      const { status } = await call(fronts[index % 2] as TestServer, '/api/chat', { key, body });
      statuses.push(status);
    });
    await until(() => statuses.length >= 900 && endpoint.held() >= 100);
    endpoint.release();
    await Promise.all(answers);
    console.log(`1,000 requests at once: ${statuses.filter((status) => status === 200).length} answers`);
    expect(statuses.filter((status) => status === 200).length).toBe(100);
    expect(statuses.filter((status) => status === 429).length).toBe(900);
  });

  test('a key that was created on one front is valid on the other, and revoked within a second', async () => {
    const key = await createKey(fronts[0], { name: 'anna' });
    expect((await call(fronts[1], '/api/tags', { key })).status).toBe(200);
    const running = fetch(`${fronts[1].url}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(ask),
    }).then((response) => response.text());
    await until(() => endpoint.held() === 1);
    await call(fronts[0], '/api/keys/anna', { key: admin.text, method: 'DELETE' });
    const revokedAt = performance.now();
    await until(async () => (await call(fronts[1], '/api/tags', { key })).status === 401);
    console.log(`revoked on the other front after ${Math.round(performance.now() - revokedAt)} ms`);
    expect(await running).toContain('the key is not valid any more');
  });

  /** The status of a request with a cookie, as the page sends it. */
  const withCookie = async (front: TestServer, cookie: string, method = 'GET'): Promise<Response> =>
    fetch(`${front.url}${method === 'GET' ? '/api/tags' : '/api/session'}`, { method, headers: { cookie } });

  test('a session that begins on one front is valid on the other, and ends on both', async () => {
    const key = await createKey(fronts[0], { name: 'cora' });
    const begun = await fetch(`${fronts[0].url}/api/session`, { method: 'POST', body: JSON.stringify({ key }) });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(cookie).toMatch(/^hearth_session=/);
    expect((await withCookie(fronts[1], cookie)).status).toBe(200);
    expect((await withCookie(fronts[1], cookie, 'DELETE')).status).toBe(200);
    await until(async () => (await withCookie(fronts[0], cookie)).status === 401);
    expect((await withCookie(fronts[1], cookie)).status).toBe(401);
  });

  test('a session survives its front', async () => {
    const key = await createKey(fronts[0], { name: 'dora' });
    const front = await startFront(address);
    const begun = await fetch(`${front.url}/api/session`, { method: 'POST', body: JSON.stringify({ key }) });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    front.signal('SIGKILL');
    await front.exit;
    expect((await withCookie(fronts[1], cookie)).status).toBe(200);
    await call(fronts[1], '/api/keys/dora', { key: admin.text, method: 'DELETE' });
    await until(async () => (await withCookie(fronts[0], cookie)).status === 401);
  });

  test('usage is the sum of both fronts', async () => {
    const key = await createKey(fronts[0], { name: 'emil' });
    const body = { model: 'no-such-model', prompt: 'Hi' };
    for (let index = 0; index < 10; index++)
      expect((await call(fronts[index % 2] as TestServer, '/api/generate', { key, body })).status).toBe(404);
    const total = async (front: TestServer): Promise<unknown> =>
      ((await call(front, '/api/usage', { key })).body['total'] as { readonly requests: number }).requests;
    await until(async () => (await total(fronts[0])) === 10);
    expect(await total(fronts[1])).toBe(10);
  });

  test('conversations are on both fronts, and of two changes at once one is refused', async () => {
    const key = await createKey(fronts[0], { name: 'fina' });
    const path = '/api/chats/c1234567-apples';
    const messages = [{ id: 'm1', parent: null, role: 'user', content: 'Where do \u0000 "apples" grow? \ud800' }];
    const put = (front: TestServer, title: string, revision: number) =>
      call(front, path, { key, method: 'PUT', body: { title, messages, revision } });
    expect((await put(fronts[0], 'first', 0)).status).toBe(200);
    expect((await call(fronts[1], path, { key })).body).toMatchObject({ title: 'first', messages, revision: 1 });
    const both = await Promise.all(fronts.map((front, index) => put(front, `title ${index}`, 1)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const listed = await call(fronts[1], '/api/chats', { key });
    expect(listed.body['chats']).toMatchObject([{ id: 'c1234567-apples', revision: 2 }]);
    expect((await call(fronts[0], '/api/chats?q=grow', { key })).body['chats']).toHaveLength(1);
    expect((await call(fronts[1], path, { key: admin.text })).status).toBe(404);
    const shared = await call(fronts[0], `${path}/share`, { key, method: 'POST' });
    const linkPath = `/api/shared-chats/${shared.body['shared_link']}`;
    const read = await call(fronts[1], linkPath, { key: admin.text });
    expect(read.body).toMatchObject({ author: 'fina', messages: [{ role: 'user' }] });
    expect((await call(fronts[1], `${path}/share`, { key, method: 'DELETE' })).status).toBe(200);
    expect((await call(fronts[0], linkPath, { key: admin.text })).body['code']).toBe('link_not_found');
    const second = (await call(fronts[0], `${path}/share`, { key, method: 'POST' })).body['shared_link'];
    await call(fronts[0], `${path}/share`, { key, method: 'PUT', body: { folder: 'Recipes' } });
    expect((await call(fronts[1], '/api/shared-chats', { key: admin.text })).body['chats']).toMatchObject([
      { shared_link: second, folder: 'Recipes', author: 'fina' },
    ]);
    const links = async (front: TestServer): Promise<unknown> =>
      (await call(front, '/api/chat-links', { key: admin.text })).body['links'];
    expect(await links(fronts[1])).toMatchObject([{ shared_link: second, author: 'fina', state: 'active' }]);
    expect((await call(fronts[1], `/api/chat-links/${second}`, { key: admin.text, method: 'DELETE' })).status).toBe(
      200,
    );
    expect((await call(fronts[0], `/api/shared-chats/${second}`, { key })).status).toBe(404);
    expect(await links(fronts[0])).toEqual([]);
    expect((await call(fronts[0], path, { key })).body).not.toHaveProperty('shared_link');
    const again = await call(fronts[0], `${path}/share`, { key, method: 'POST' });
    const library = { presets: [], prompts: [{ id: 'p1', name: 'Sum', text: 'Sum up: ' }], revision: 0 };
    expect((await call(fronts[0], '/api/library', { key, method: 'PUT', body: library })).status).toBe(200);
    expect((await call(fronts[1], '/api/library', { key })).body).toMatchObject({
      prompts: library.prompts,
      revision: 1,
    });
    // Links do not outlive the key of their author, on any front.
    const ida = await createKey(fronts[0], { name: 'ida' });
    await call(fronts[0], path, { key: ida, method: 'PUT', body: { title: 'Pears', messages, revision: 0 } });
    const idas = (await call(fronts[0], `${path}/share`, { key: ida, method: 'POST' })).body['shared_link'];
    const statusOf = async (front: TestServer) => (await call(front, `/api/shared-chats/${idas}`, { key })).status;
    expect(await statusOf(fronts[1])).toBe(200);
    await call(fronts[0], '/api/keys/ida', { key: admin.text, method: 'DELETE' });
    await until(async () => (await statusOf(fronts[1])) === 404);
    expect((await call(fronts[1], path, { key, method: 'DELETE' })).status).toBe(200);
    expect((await call(fronts[0], path, { key })).status).toBe(404);
    expect((await call(fronts[0], `/api/shared-chats/${again.body['shared_link']}`, { key })).status).toBe(404);
  });

  /** Begins an answer that goes on without its client, and leaves after the first object. */
  const beginAnswer = async (front: TestServer, key: string): Promise<string> => {
    const leaving = new AbortController();
    const response = await fetch(`${front.url}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ ...ask, resumable: true }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    return response.headers.get('x-request-id') ?? '';
  };
  const resume = (front: TestServer, { id, from, key }: { id: string; from: number; key: string }): Promise<Response> =>
    fetch(`${front.url}/api/requests/${id}/stream?from=${from}`, { headers: { authorization: `Bearer ${key}` } });

  test('an answer that was begun on one front is resumed on the other, while it runs and afterwards', async () => {
    const [key, stranger] = [
      await createKey(fronts[0], { name: 'gero' }),
      await createKey(fronts[0], { name: 'hans' }),
    ];
    const front = await startFront(address, { environment: { HEARTH_SHUTDOWN_GRACE: '30s' } });
    await addRemoteModel(front, { url: endpoint.url, key: admin.text });
    const id = await beginAnswer(front, key);
    endpoint.write(' world');
    await until(async () => (await resume(fronts[1], { id, from: 0, key })).status === 200);
    const running = await resume(fronts[1], { id, from: 1, key });
    endpoint.write(' again');
    await pause(100);
    endpoint.release();
    const rest = await running.text();
    expect(rest).toContain(' again');
    expect(rest).toContain('"done":true');
    expect(rest).not.toContain('Hello');
    expect((await resume(fronts[1], { id, from: 0, key: stranger })).status).toBe(404);
    front.signal('SIGKILL');
    await front.exit;
    const whole = await (await resume(fronts[0], { id, from: 0, key })).text();
    for (const word of ['Hello', ' world', ' again', '"done":true']) expect(whole).toContain(word);
  });

  test('the other front cancels an answer, and says when the front of an answer has ended', async () => {
    const key = await createKey(fronts[0], { name: 'ida' });
    const front = await startFront(address);
    await addRemoteModel(front, { url: endpoint.url, key: admin.text });
    const canceled = await beginAnswer(front, key);
    await until(async () => (await resume(fronts[1], { id: canceled, from: 0, key })).status === 200);
    const { status } = await call(fronts[1], `/api/requests/${canceled}`, { key, method: 'DELETE' });
    expect(status).toBe(200);
    await until(() => endpoint.held() === 0);
    const lost = await beginAnswer(front, key);
    await until(async () => (await resume(fronts[1], { id: lost, from: 0, key })).status === 200);
    front.signal('SIGKILL');
    await front.exit;
    // Its lease.
    postgres.ask(address, "UPDATE hearth.streams SET expires_at = now() - interval '1 second' WHERE NOT is_over");
    expect(await (await resume(fronts[1], { id: lost, from: 0, key })).text()).toContain('has ended');
  });

  test('a stored response of one front is read, continued and deleted on the other', async () => {
    const [key, stranger] = [
      await createKey(fronts[0], { name: 'jana' }),
      await createKey(fronts[0], { name: 'karl' }),
    ];
    const front = await startFront(address);
    await addRemoteModel(front, { url: endpoint.url, key: admin.text });
    const respond = async (server: TestServer, body: object) => {
      const response = call(server, '/v1/responses', { key, body: { model: 'held', ...body } });
      await until(() => endpoint.held() === 1);
      endpoint.release();
      return response;
    };
    const first = await respond(front, { input: 'Hi' });
    expect(first.status).toBe(200);
    const id = String(first.body['id']);
    front.signal('SIGKILL');
    await front.exit;
    const read = await call(fronts[1], `/v1/responses/${id}`, { key });
    expect(read.body).toEqual(first.body);
    expect((await call(fronts[1], `/v1/responses/${id}`, { key: stranger })).status).toBe(404);
    const next = await respond(fronts[0], { input: 'And?', previous_response_id: id });
    expect(next.body).toMatchObject({ status: 'completed', previous_response_id: id });
    const items = await call(fronts[1], `/v1/responses/${next.body['id']}/input_items`, { key });
    expect(items.body['data']).toHaveLength(3);
    expect((await call(fronts[1], `/v1/responses/${id}`, { key, method: 'DELETE' })).status).toBe(200);
    expect((await call(fronts[0], `/v1/responses/${id}`, { key })).status).toBe(404);
  });

  test('while the database is away, answers go on, and new requests wait for it or have no quota', async () => {
    const key = await createKey(fronts[0], { name: 'bert', tokens_per_day: 300 });
    const running = fetch(`${fronts[0].url}/api/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ ...ask, options: { num_predict: 50 } }),
    });
    await until(() => endpoint.held() === 1);
    await postgres.stop();
    try {
      await until(async () => (await call(fronts[0], '/api/tags', { key })).status === 503);
      const refused = await call(fronts[0], '/api/chat', { key, body: ask });
      expect(refused).toMatchObject({ status: 503, body: { error: expect.stringContaining('shared state') } });
      expect(refused.headers.get('retry-after')).toBe('5');
      endpoint.write(' again');
      const served = call(fronts[1], '/api/chat', { key, body: { ...ask, stream: false } });
      await until(() => endpoint.held() === 2);
      endpoint.release();
      expect((await served).status).toBe(200);
      expect(await (await running).text()).toContain('"done":true');
    } finally {
      await postgres.start();
    }
    await until(async () => (await call(fronts[0], '/api/tags', { key })).status === 200);
  });

  test('neither the logs nor errors have the address of the database', async () => {
    const { hostname, password, port } = new URL(address);
    const words = [password, decodeURIComponent(password), `${hostname}:${port}`, 'postgres://'];
    for (const front of fronts) for (const word of words) expect(front.log() + front.stdout()).not.toContain(word);
    await expect(startFront(`${address}?sslmode=secret-mode`)).rejects.toThrow(/HEARTH_STATE is invalid/);
    const wrong = await startFront(address.replace(password, 'wrong-password')).catch(String);
    expect(wrong).toContain('it refuses the user or the password');
    for (const word of ['wrong-password', 'secret-mode']) expect(wrong).not.toContain(word);
  });

  const kills = thoroughly(100, 4);
  test(`${kills} kills of a front lose nothing that was confirmed`, { timeout: 900_000 }, async () => {
    const confirmed: string[] = [];
    const chats: string[] = [];
    /** False if the front has ended. */
    const store = async (front: TestServer, name: string): Promise<boolean> => {
      const id = `chat-${name}`;
      const send = (path: string, method: string, body: object) =>
        call(front, path, { key: admin.text, method, body }).catch(() => undefined);
      const created = await send('/api/keys', 'POST', { name, scope: 'infer' });
      if (created?.status === 200) confirmed.push(name);
      const put = await send(`/api/chats/${id}`, 'PUT', { title: name });
      if (put?.status === 200) chats.push(id);
      return created !== undefined && put !== undefined;
    };
    let victim = await startFront(address);
    for (let kill = 0; kill < kills; kill++) {
      let isOver = false;
      const work = [victim, fronts[0]].map(async (front, worker) => {
        for (let index = 0; !isOver && (await store(front, `k${kill}-${worker}-${index}`)); index++);
      });
      await pause(50 + Math.random() * 100);
      victim.signal('SIGKILL');
      await victim.exit;
      isOver = true;
      await Promise.all(work);
      victim = await startFront(address);
    }
    const { body } = await call(victim, '/api/keys', { key: admin.text });
    const stored = new Set((body['keys'] as readonly { readonly name: string }[]).map(({ name }) => name));
    const list = await call(victim, '/api/chats', { key: admin.text });
    const kept = new Set((list.body['chats'] as readonly { readonly id: string }[]).map(({ id }) => id));
    await victim.stop();
    const lost = [...confirmed.filter((name) => !stored.has(name)), ...chats.filter((id) => !kept.has(id))];
    console.log(
      `${kills} kills: ${confirmed.length} keys and ${chats.length} conversations confirmed, ${lost.length} lost`,
    );
    expect(Math.min(confirmed.length, chats.length)).toBeGreaterThan(kills);
    expect(lost).toEqual([]);
  });
});
