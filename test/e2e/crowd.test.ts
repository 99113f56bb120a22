// A crowd of clients, a fifth of which leave in the middle of a request: every request has an answer, a refusal because the
// queue is full, or its cancellation, and no other error. With `npm run test:thorough`, 1,000 clients for two minutes.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate, post } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { sequence, soak } from '../support/soak.ts';
import { thoroughly } from '../support/thorough.ts';

const { clients, milliseconds } = thoroughly(
  { clients: 1000, milliseconds: 120_000 },
  { clients: 60, milliseconds: 2000 },
);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const refusal = /^503 server busy, please try again\. {2}maximum pending requests exceeded$/;

test('a crowd gets answers and refusals, and no errors', { timeout: 600_000 }, async () => {
  await post(server.url, '/api/embed', { model: 'ember', input: 'Hi' });
  const tally = await soak({ url: server.url, models: ['ember'], clients, milliseconds, random: sequence(3) });
  const shown = [...tally].map(([outcome, count]) => `${count} × ${outcome.slice(0, 70)}`);
  console.log(`${clients} clients for ${milliseconds / 1000} s: ${shown.join('; ')}`);

  const known = (outcome: string): boolean =>
    ['answered', 'cancelled', 'left'].includes(outcome) || refusal.test(outcome);
  expect([...tally.keys()].filter((outcome) => !known(outcome))).toEqual([]);
  expect(tally.get('answered') ?? 0).toBeGreaterThan(clients / 2);
  expect(tally.get('left') ?? 0).toBeGreaterThan(0);
  expect(await (await fetch(`${server.url}/api/queue`)).json()).toEqual({ queues: [] });
  expect((await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } })).done).toBe(true);
});
