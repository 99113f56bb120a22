// The route over the table of requests, with requests that work until the test ends them.

import { beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../../test/support/fake-clock.ts';
import { createDeferred, type Deferred } from '../../../../base/deferred.ts';
import { silentLogger } from '../../../../base/logger.ts';
import type { CallerKey } from '../../../../base/request/caller-key.ts';
import { dialectTable } from '../../../compose/dialect-table.ts';
import { activityIntervalMs, createActivity } from '../../../http/activity.ts';
import { RequestTable } from '../../../http/requests.ts';
import type { Route } from '../../../http/route.ts';
import { createHttpServer } from '../../../http/server.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { activityRoute } from './activity-route.ts';
import type { ActivityResponseBody } from './activity-schema.ts';
import type { WaitingModel } from './queue-route.ts';

const keyOf = (name: string, scope: CallerKey['scope']): CallerKey => ({
  ...{ id: name, name, scope, group: name, models: [], weight: 1 },
});
const keys: Readonly<Record<string, CallerKey>> = { anna: keyOf('anna', 'admin'), bert: keyOf('bert', 'infer') };

let clock: FakeClock;
let app: ReturnType<typeof createHttpServer>;
let waiting: WaitingModel['waiting'][number][];
let end: Deferred<void>;
let begun: number;
beforeEach(() => {
  clock = createFakeClock(0);
  waiting = [];
  end = createDeferred();
  begun = 0;
  const activity = createActivity(clock);
  const requests = new RequestTable({
    clock,
    logger: silentLogger,
    identify: ({ authorization = '' }) => keys[authorization],
    beginWork: activity.begin,
  });
  const work: Route = {
    ...{ dialect: ollamaDialect, method: 'POST', path: '/work', scope: 'infer', summary: 'Work', metered: true },
    async handle({ report }) {
      report.model = 'ember:latest';
      Object.assign(report.openCount(), { promptTokens: 8, cachedTokens: 4, generatedTokens: 10 });
      begun++;
      await end.promise;
      return {};
    },
  };
  app = createHttpServer({
    routes: [work, activityRoute({ activity, queue: () => [{ name: 'ember:latest', waiting }], requests, clock })],
    dialects: dialectTable,
    requests,
    maxBodyBytes: 1000,
    isAllowedOrigin: () => true,
    clock,
    logger: silentLogger,
  });
});

const headersOf = (key?: string) => (key === undefined ? {} : { headers: { authorization: key } });
const begin = async (key?: string): Promise<void> => {
  const before = begun;
  void app.inject({ method: 'POST', url: '/work', ...headersOf(key) });
  await vi.waitUntil(() => begun > before, { interval: 1, timeout: 30_000 });
};
const read = async (key?: string, remoteAddress = '127.0.0.1'): Promise<ActivityResponseBody> =>
  (await app.inject({ method: 'GET', url: '/api/activity', remoteAddress, ...headersOf(key) })).json();

test('a running request has its tokens so far, and is gone after its end', async () => {
  await begin();
  const { requests } = await read();
  expect(requests).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      ...{ model: 'ember:latest', endpoint: '/work', since: '1970-01-01T00:00:00.000Z', state: 'running' },
      ...{ prompt_tokens: 8, cached_tokens: 4, generated_tokens: 10 },
    },
  ]);
  end.resolve();
  await vi.waitUntil(async () => (await read()).requests.length === 0, { interval: 1, timeout: 30_000 });
  clock.advance(activityIntervalMs);
  const after = await read();
  expect(after.intervals.at(-1)).toEqual({ prompt_tokens: 8, cached_tokens: 4, generated_tokens: 10 });
  expect([after.interval_ms, after.intervals.length]).toEqual([5000, 60]);
});

test('waiting requests have their positions', async () => {
  for (let count = 0; count < 3; count++) await begin();
  const ids = (await read()).requests.map(({ id = '' }) => id);
  // The second one has two choices, and waits twice.
  for (const id of [ids[1], ids[1], ids[2]] as string[]) waiting.push({ id, since: 0, for: 'runner' });
  expect((await read()).requests.map(({ state, position }) => [state, position])).toEqual([
    ['running', undefined],
    ['waiting', 1],
    ['waiting', 2],
  ]);
});

test('without keys, the requests of others have no id', async () => {
  await begin();
  const { requests } = await read(undefined, '192.0.2.1');
  expect(requests).toHaveLength(1);
  expect(requests[0]).not.toHaveProperty('id');
});

test('a key sees its own requests and tokens, an administrator all', async () => {
  for (const key of ['anna', 'bert']) await begin(key);
  const ofAdmin = await read('anna');
  expect(ofAdmin.requests.map(({ key, id }) => [key, id !== undefined])).toEqual([
    ['anna', true],
    ['bert', true],
  ]);
  for (const [index, { id = '' }] of ofAdmin.requests.entries()) waiting.push({ id, since: index, for: 'runner' });
  clock.advance(activityIntervalMs);
  expect((await read('bert')).requests).toMatchObject([{ key: 'bert', position: 1 }]);
  expect((await read('anna')).requests.map(({ position }) => position)).toEqual([1, 2]);
  const generated = async (key: string) => (await read(key)).intervals.at(-1)?.generated_tokens;
  expect([await generated('bert'), await generated('anna')]).toEqual([10, 20]);
});
