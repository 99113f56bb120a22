// Responses in the background that one server generates: the other one with the same PostgreSQL reads, follows, cancels and
// deletes them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRemoteModel, call, createSharedKey, startFront } from '../support/fronts.ts';
import { type HoldEndpoint, startHoldEndpoint } from '../support/hold-endpoint.ts';
import { postgresFolder, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { pause } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';

const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await pause(10);
};

describe.skipIf(postgresFolder === undefined)('a response in the background', () => {
  let postgres: TestPostgres;
  let address: string;
  let endpoint: HoldEndpoint;
  let key: string;
  let fronts: readonly [TestServer, TestServer];

  beforeAll(async () => {
    [postgres, endpoint] = await Promise.all([startPostgres(), startHoldEndpoint('held')]);
    address = postgres.createDatabase();
    key = (await createSharedKey(address, { name: 'anna', scope: 'admin' })).text;
    fronts = [await startWithModel(), await startWithModel()];
  });
  afterAll(async () => {
    for (const front of fronts ?? []) await front.stop();
    await endpoint?.close();
    await postgres?.remove();
  });

  const startWithModel = async (): Promise<TestServer> => {
    const front = await startFront(address);
    await addRemoteModel(front, { url: endpoint.url, key });
    return front;
  };
  /** Resolves with its id when the endpoint works on it. */
  const begin = async (front: TestServer): Promise<string> => {
    const { status, body } = await call(front, '/v1/responses', {
      key,
      body: { model: 'held', input: 'Hi', background: true },
    });
    expect([status, body['status']]).toEqual([200, 'queued']);
    await until(() => endpoint.held() === 1);
    return String(body['id']);
  };
  const read = async (front: TestServer, id: string) => call(front, `/v1/responses/${id}`, { key });
  const statusOn = async (front: TestServer, id: string): Promise<unknown> => (await read(front, id)).body['status'];
  const follow = async (front: TestServer, id: string, after = ''): Promise<string> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${front.url}/v1/responses/${id}?stream=true${after}`, { headers })).text();
  };

  test('is read and followed on the other front, and is there after its own has ended', async () => {
    const front = await startWithModel();
    const id = await begin(front);
    endpoint.write(' world');
    await until(async () => (await statusOn(fronts[1], id)) === 'in_progress');
    const early = await call(fronts[1], '/v1/responses', {
      key,
      body: { model: 'held', input: 'And?', previous_response_id: id },
    });
    expect(early).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('not finished') } } });
    const following = follow(fronts[1], id);
    const rest = follow(fronts[1], id, '&starting_after=1');
    await pause(50);
    endpoint.write(' again');
    endpoint.release();
    const events = await following;
    for (const part of ['response.created', ' world', ' again', 'response.completed']) expect(events).toContain(part);
    expect(await rest).not.toContain('response.created');
    await until(async () => (await statusOn(front, id)) === 'completed');
    const own = await read(front, id);
    expect((await read(fronts[1], id)).body).toEqual(own.body);
    front.signal('SIGKILL');
    await front.exit;
    expect((await read(fronts[0], id)).body).toEqual(own.body);
    expect(await follow(fronts[0], id)).toBe(events);
  });

  test('is canceled on the other front', async () => {
    const id = await begin(fronts[0]);
    const { body } = await call(fronts[1], `/v1/responses/${id}/cancel`, { key, method: 'POST' });
    expect(body).toMatchObject({ id, status: 'cancelled' });
    await until(() => endpoint.held() === 0);
    for (const front of fronts) expect(await statusOn(front, id)).toBe('cancelled');
  });

  test('is deleted on the other front', async () => {
    const id = await begin(fronts[0]);
    expect((await call(fronts[1], `/v1/responses/${id}`, { key, method: 'DELETE' })).status).toBe(200);
    await until(() => endpoint.held() === 0);
    for (const front of fronts) expect((await read(front, id)).status).toBe(404);
  });

  test('fails when its front has ended', async () => {
    const front = await startWithModel();
    const id = await begin(front);
    await until(async () => (await statusOn(fronts[1], id)) === 'in_progress');
    const following = follow(fronts[1], id);
    front.signal('SIGKILL');
    await front.exit;
    // Its lease.
    postgres.ask(address, "UPDATE hearth.streams SET expires_at = now() - interval '1 second' WHERE NOT is_over");
    expect(await following).toContain('the server that generated this answer has ended');
    for (const server of fronts) await until(async () => (await statusOn(server, id)) === 'failed');
  });

  test('belongs to its key', async () => {
    const stranger = (await call(fronts[0], '/api/keys', { key, body: { name: 'karl' } })).body['key'];
    const id = await begin(fronts[0]);
    const asked = await call(fronts[1], `/v1/responses/${id}`, { key: String(stranger) });
    expect(asked.status).toBe(404);
    endpoint.release();
    await until(async () => (await statusOn(fronts[1], id)) === 'completed');
  });
});
