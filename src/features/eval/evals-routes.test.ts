import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { dialectTable } from '../../server/compose/dialect-table.ts';
import { RequestTable } from '../../server/http/requests.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { EvalStore } from './eval-store.ts';
import { evalsRoutes } from './evals-routes.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-evals-'));
const path = join(folder, 'new', 'evals.json');
const clock = createFakeClock(Date.UTC(2026, 10, 18));
const app = createHttpServer({
  routes: evalsRoutes(new EvalStore(path), clock),
  dialects: dialectTable,
  requests: new RequestTable({ clock, logger: silentLogger }),
  maxBodyBytes: 2 ** 20,
  isAllowedOrigin: () => true,
  clock,
  logger: silentLogger,
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const category = { category: 'facts', items: 10, correct: 8, duration: 2e9, tokens: 100 };
const result = (model: string) => ({ model, categories: [category, { ...category, category: 'sums', correct: 2 }] });
const comparison = {
  ...{
    model: 'a',
    against: 'b',
    tokens: 2040,
    perplexity: 3,
    perplexity_error: 0.1,
    same_top: 0.9,
    same_top_error: 0.01,
  },
  ...{ against_perplexity: 2, against_perplexity_error: 0.1, kl_divergence: 0.5, kl_divergence_error: 0.01 },
};
const read = async () => (await app.inject({ method: 'GET', url: '/api/evals' })).json();
const send = async (payload: object) => {
  const response = await app.inject({ method: 'POST', url: '/api/evals', payload });
  return [response.statusCode, response.json()] as const;
};

test('results are kept with their intervals, the last one first', async () => {
  expect(await read()).toEqual({ results: [], comparisons: [] });
  expect(await send({ results: [result('a')] })).toEqual([200, { kept: 1 }]);
  expect(await send({ results: [{ ...result('b'), digest: 'sha256:1' }], comparison })).toEqual([200, { kept: 2 }]);
  const { results, comparisons } = await read();
  expect(results.map(({ model }: { model: string }) => model)).toEqual(['b', 'a']);
  expect(results[0]).toMatchObject({ digest: 'sha256:1', created_at: '2026-11-18T00:00:00.000Z' });
  expect(results[0].categories[0]).toEqual({
    ...category,
    accuracy: 0.8,
    interval: [expect.closeTo(0.4902, 4), expect.closeTo(0.9433, 4)],
    tokens_per_second: 50,
  });
  expect(results[0].all).toMatchObject({ category: 'all', items: 20, correct: 10, accuracy: 0.5 });
  expect(comparisons).toEqual([{ ...comparison, created_at: '2026-11-18T00:00:00.000Z' }]);
});

test('the oldest results make room', async () => {
  for (let count = 0; count < 51; count++) await send({ results: [result(`m${count}`), result(`n${count}`)] });
  const { results } = await read();
  expect(results).toHaveLength(100);
  expect([results[0].model, results.at(-1).model]).toEqual(['m50', 'n1']);
});

test.each([
  [{}, /results/],
  [{ results: [{ model: 'a', categories: [] }] }, /categories/],
  [{ results: [{ model: 'a', categories: [{ ...category, correct: 11 }] }] }, /more right answers than questions/],
  [{ results: [{ model: 'a', categories: [{ ...category, items: 0 }] }] }, /items/],
  [{ results: [{ model: 'x'.repeat(301), categories: [category] }] }, /model/],
  [{ results: [result('a'), result('b'), result('c')] }, /results/],
  [{ results: [], comparison: { ...comparison, kl_divergence: 'none' } }, /kl_divergence/],
])('refused: %#', async (body, message) => {
  expect(await send(body)).toEqual([400, { error: expect.stringMatching(message), code: 'bad_request' }]);
});

test('a file that is damaged is not replaced', async () => {
  writeFileSync(path, '{"version": 1');
  expect((await read()).error).toContain('cannot be used');
  expect((await send({ results: [result('a')] }))[0]).toBe(500);
});
