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
    for (const front of fronts) await addRemoteModel(front, endpoint.url, admin.text);
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
    let victim = await startFront(address);
    for (let kill = 0; kill < kills; kill++) {
      let isOver = false;
      const work = [victim, fronts[0]].map(async (front, worker) => {
        for (let index = 0; !isOver; index++) {
          const name = `k${kill}-${worker}-${index}`;
          const body = { name, scope: 'infer' };
          const reply = await call(front, '/api/keys', { key: admin.text, body }).catch(() => undefined);
          if (reply?.status === 200) confirmed.push(name);
          else if (front === victim) return;
        }
      });
      await pause(50 + Math.random() * 100);
      victim.signal('SIGKILL');
      await victim.exit;
      isOver = true;
      await Promise.all(work);
      victim = await startFront(address);
    }
    const { body } = await call(victim, '/api/keys', { key: admin.text });
    await victim.stop();
    const stored = new Set((body['keys'] as readonly { readonly name: string }[]).map(({ name }) => name));
    const lost = confirmed.filter((name) => !stored.has(name));
    console.log(`${kills} kills: ${confirmed.length} keys confirmed, ${lost.length} lost`);
    expect(confirmed.length).toBeGreaterThan(kills);
    expect(lost).toEqual([]);
  });
});
