// The database with the shared state is away for a while. `npm run test:database-away -- SECONDS` says how long; `npm test` and
// `npm run test:thorough` have their own times.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRemoteModel, call, createSharedKey, startFront } from '../support/fronts.ts';
import { type HoldEndpoint, startHoldEndpoint } from '../support/hold-endpoint.ts';
import { postgresFolder, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { pause } from '../support/processes.ts';
import type { TestServer } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const seconds = Number(process.env['HEARTH_TEST_AWAY_SECONDS'] ?? thoroughly(60, 5));
const ask = { model: 'held', messages: [{ role: 'user', content: 'Hi' }], options: { num_predict: 50 } };
const runningOnEach = 4;
const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await pause(10);
};

describe.skipIf(postgresFolder === undefined)(`the database is away for ${seconds} seconds`, () => {
  let postgres: TestPostgres;
  let endpoint: HoldEndpoint;
  let admin: string;
  /** One that refuses requests meanwhile, and one that serves them without quotas. */
  let strict: TestServer;
  let lenient: TestServer;

  beforeAll(async () => {
    [postgres, endpoint] = await Promise.all([startPostgres(), startHoldEndpoint('held')]);
    const address = postgres.createDatabase();
    admin = (await createSharedKey(address, { name: 'ops', scope: 'admin' })).text;
    strict = await startFront(address);
    lenient = await startFront(address, { environment: { HEARTH_STATE_OPTIONAL: '1' } });
    for (const front of [strict, lenient]) await addRemoteModel(front, { url: endpoint.url, key: admin });
  });
  afterAll(async () => {
    for (const front of [strict, lenient]) await front?.stop();
    await endpoint?.close();
    await postgres?.remove();
  });

  /** A stream whose text so far can be read. */
  const beginStream = (front: TestServer, key: string, body: object = ask) => {
    const stream = { text: '', id: '', ended: Promise.resolve() };
    stream.ended = (async () => {
      const response = await fetch(`${front.url}/api/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
      stream.id = response.headers.get('x-request-id') ?? '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) stream.text += decoder.decode(chunk, { stream: true });
    })();
    return stream;
  };
  const usedBy = async (name: string): Promise<number> => {
    const { body } = await call(strict, '/api/usage?by=key', { key: admin });
    const groups = (body['groups'] ?? []) as readonly { readonly name?: string; readonly requests: number }[];
    return groups.find((group) => group.name === name)?.requests ?? 0;
  };

  test('answers that run go on to their end, new requests get status 503 or no quotas', {
    timeout: (seconds + 300) * 1000,
  }, async () => {
    const created = await call(strict, '/api/keys', { key: admin, body: { name: 'anna', tokens_per_day: 2000 } });
    const key = String(created.body['key']);
    const streams = [strict, lenient].flatMap((front) =>
      Array.from({ length: runningOnEach }, () => beginStream(front, key)),
    );
    const resumable = beginStream(strict, key, { ...ask, resumable: true });
    const background = await call(strict, '/v1/responses', {
      key,
      body: { model: 'held', input: 'Hi', background: true, max_output_tokens: 50 },
    });
    expect(background.body['status']).toBe('queued');
    const all = [...streams, resumable];
    await until(() => endpoint.held() === all.length + 1 && all.every(({ text }) => text.includes('Hello')));

    await postgres.stop();
    const stoppedAt = performance.now();
    const refusals: number[] = [];
    const outcomes = new Map<string, number>();
    const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    try {
      await until(async () => (await call(strict, '/api/tags', { key })).status === 503);
      for (let round = 0; performance.now() - stoppedAt < seconds * 1000; round++) {
        const askedAt = performance.now();
        const refused = await call(strict, '/api/chat', { key, body: ask });
        refusals.push(performance.now() - askedAt);
        expect(refused).toMatchObject({ status: 503, body: { error: expect.stringContaining('shared state') } });
        expect(refused.headers.get('retry-after')).toBe('5');
        count('refused');
        expect((await call(lenient, '/api/tags', { key })).status).toBe(200);
        count('lists served by the other front');
        // Answers that run go on.
        endpoint.write(` word${round}`);
        await until(() => all.every(({ text }) => text.includes(` word${round}"`)));
        await pause(200);
      }
      const served = beginStream(lenient, key);
      await until(() => served.text.includes('Hello'));
      endpoint.release();
      await Promise.all([...all, served].map(({ ended }) => ended));
      for (const { text } of [...all, served]) expect(text).toContain('"done":true');
    } finally {
      await postgres.start();
    }
    const awayMs = performance.now() - stoppedAt;
    await until(async () => (await call(strict, '/api/tags', { key })).status === 200);
    const slowest = Math.round(Math.max(...refusals));
    const list = [...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(', ');
    console.log(`away for ${(awayMs / 1000).toFixed(1)} s: ${list}; the slowest refusal took ${slowest} ms`);

    // What was generated meanwhile is counted, and other servers find it.
    await until(async () => (await usedBy('anna')) >= all.length + 2);
    const id = String(background.body['id']);
    await until(async () => {
      const { body } = await call(lenient, `/v1/responses/${id}`, { key });
      return body['status'] === 'completed';
    });
    const headers = { authorization: `Bearer ${key}` };
    const resumed = await fetch(`${lenient.url}/api/requests/${resumable.id}/stream?from=0`, { headers });
    expect(await resumed.text()).toContain('"done":true');
  });
});
