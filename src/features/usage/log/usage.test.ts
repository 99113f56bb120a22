import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { maxGroups, otherGroup } from './sum-usage.ts';
import { createUsage, type Usage } from './usage.ts';
import { createUsageFiles } from './usage-files.ts';
import { formatRecord, maxLineBytes, type UsageRecord } from './usage-record.ts';

const hour = 3600 * 1000;
const now = Date.UTC(2026, 10, 16, 12);
const { signal } = new AbortController();
const always = Number.NEGATIVE_INFINITY;
let folder: string;
let usage: Usage;
const openUsage = (maxBytes: number): Usage => {
  const clock = createFakeClock(now);
  const home = createUsageFiles({ folder, maxBytes, clock });
  return createUsage({ home, isOn: maxBytes > 0, clock, logger: silentLogger });
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-usage-'));
  usage = openUsage(2 ** 24);
});
afterEach(async () => {
  await usage.close();
  rmSync(folder, { recursive: true, force: true });
});

function recordOf(fields: Partial<UsageRecord> = {}): UsageRecord {
  const tokens = { promptTokens: 10, cachedTokens: 4, generatedTokens: 5 };
  return { time: now, key: '', model: 'a', dialect: 'ollama', ...tokens, milliseconds: 100, outcome: 'ok', ...fields };
}

const requestsBy = async (by: 'key' | 'model' | 'day', query: { since?: number; keyId?: string } = {}) => {
  const { groups } = await usage.sum({ by, since: always, ...query }, signal);
  return groups.map(({ name, requests }) => [name, requests]);
};

test('a query includes the requests that have just ended', async () => {
  usage.record(recordOf());
  usage.record(recordOf({ outcome: 'cancelled', generatedTokens: 1, time: now - hour }));
  const sum = {
    requests: 2,
    failed: 1,
    promptTokens: 20,
    cachedTokens: 8,
    generatedTokens: 6,
    milliseconds: 200,
    lastTime: now,
  };
  const summary = await usage.sum({ by: 'model', since: always }, signal);
  expect(summary).toEqual({ groups: [{ name: 'a', ...sum }], total: sum });
});

test('requests are grouped by key, model and day; the largest group is first, days are in order', async () => {
  usage.record(recordOf({ key: 'anna', time: now }));
  usage.record(recordOf({ key: 'ben', model: 'b', promptTokens: 100, time: now - 24 * hour }));
  usage.record(recordOf({ key: 'anna', model: 'b', time: now - 24 * hour }));
  expect(await requestsBy('key')).toEqual([
    ['ben', 1],
    ['anna', 2],
  ]);
  expect(await requestsBy('model')).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
  expect(await requestsBy('day')).toEqual([
    ['2026-11-15', 2],
    ['2026-11-16', 1],
  ]);
});

test('a query can be limited to a key and to a time', async () => {
  usage.record(recordOf({ key: 'anna', keyId: '1', time: now - 2 * hour }));
  usage.record(recordOf({ key: 'anna', keyId: '1' }));
  usage.record(recordOf({ key: 'ben', keyId: '2' }));
  // A key that was revoked had the same name, and earlier versions recorded no ids.
  usage.record(recordOf({ key: 'anna', keyId: '0' }));
  usage.record(recordOf({ key: 'anna' }));
  expect(await requestsBy('key', { keyId: '1' })).toEqual([['anna', 2]]);
  expect(await requestsBy('key', { keyId: '1', since: now - hour })).toEqual([['anna', 1]]);
  expect(await requestsBy('key', { keyId: 'anna' })).toEqual([]);
});

test('files of earlier days are not read', async () => {
  // The day of a file is that of its last record.
  writeFileSync(join(folder, 'usage-2026-11-14-0001.jsonl'), formatRecord(recordOf()));
  writeFileSync(join(folder, 'usage-2026-11-15-0001.jsonl'), formatRecord(recordOf({ model: 'b' })));
  expect(await requestsBy('model', { since: now - 24 * hour })).toEqual([['b', 1]]);
  expect(await requestsBy('model')).toHaveLength(2);
});

test('lines that are torn, empty, foreign or endless are ignored', async () => {
  const path = join(folder, 'usage-2026-11-16-0001.jsonl');
  const good = formatRecord(recordOf());
  const torn = good.slice(0, 30);
  writeFileSync(path, `${good}${torn}\n\n${good}not json\n${'{'.repeat(300_000)}\n${good}`);
  appendFileSync(path, torn);
  writeFileSync(join(folder, 'usage-2026-11-16-0002.jsonl'), `${'x'.repeat(2 * maxLineBytes)}${good}`);
  writeFileSync(join(folder, 'other.jsonl'), good);
  mkdirSync(join(folder, 'usage-2026-11-16-3.jsonl'));
  expect(await requestsBy('model')).toEqual([['a', 3]]);
});

test('records at the borders of the parts that are read at once are found', async () => {
  const models = Array.from({ length: 3000 }, (_, index) => `model-${index % 7}${'ä'.repeat(index % 40)}`);
  for (const model of models) usage.record(recordOf({ model }));
  const { total } = await usage.sum({ by: 'model', since: always }, signal);
  expect(total.requests).toBe(models.length);
});

test('groups past the limit are summed up in one', async () => {
  for (let index = 0; index < maxGroups + 5; index++) usage.record(recordOf({ model: `m${index}` }));
  usage.record(recordOf({ model: 'm0' }));
  const { groups, total } = await usage.sum({ by: 'model', since: always }, signal);
  expect(groups).toHaveLength(maxGroups + 1);
  expect(groups.find(({ name }) => name === otherGroup)?.requests).toBe(5);
  expect(groups.find(({ name }) => name === 'm0')?.requests).toBe(2);
  expect(total.requests).toBe(maxGroups + 6);
});

test('there is nothing to sum up without a folder', async () => {
  rmSync(folder, { recursive: true });
  expect(await requestsBy('day')).toEqual([]);
});

test('with a size of 0 nothing is recorded', async () => {
  const off = openUsage(0);
  off.record(recordOf());
  expect((await off.sum({ by: 'day', since: always }, signal)).total.requests).toBe(0);
});

test('a query ends with its request, and too many at once are refused', async () => {
  usage.record(recordOf());
  await expect(usage.sum({ by: 'day', since: always }, AbortSignal.abort())).rejects.toMatchObject({
    code: 'cancelled',
  });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => usage.sum({ by: 'day', since: always }, signal)),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(4);
  expect(refused[0]).toMatchObject({ reason: { code: 'busy' } });
  expect(await requestsBy('model')).toEqual([['a', 1]]);
});
