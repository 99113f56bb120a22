// Ten keys that all ask for more than they get, for a simulated minute: quotas hold, and the slots are shared by weight.

import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../../../test/support/fake-clock.ts';
import { createKeyFixture } from '../../../../../test/support/key-fixture.ts';
import type { KeyRecord } from '../../../../features/keys/access/key-record.ts';
import { SlotOrder } from './slot-order.ts';

interface Request {
  readonly client: string;
  readonly weight: number;
  /** Milliseconds that its answer takes. */
  readonly takes: number;
}

const clock = createFakeClock();
const fixture = createKeyFixture(clock);
afterAll(() => fixture.remove());

const slots = 8;
const weights = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4];
// The last two of weight 1 may not use their share.
const requestsPerMinute = 10;
const waitingPerKey = 5;
const minute = 60_000;
const step = 10;

test('each key gets its share within 10 %', async () => {
  const records: KeyRecord[] = [];
  for (const [index, weight] of weights.entries()) {
    const quota = index === 2 || index === 3 ? { requestsPerMinute } : {};
    records.push((await fixture.create(`key-${index}`, { weight, ...quota })).record);
  }
  const answered = simulate(records);
  const open = records.filter((record) => record.requestsPerMinute === undefined);
  const weightOf = (some: readonly KeyRecord[]): number => some.reduce((sum, { weight }) => sum + weight, 0);
  const total = open.reduce((sum, { id }) => sum + (answered.get(id) ?? 0), 0);
  for (const { id, name, weight } of open) {
    const share = (answered.get(id) ?? 0) / total / (weight / weightOf(open));
    expect([name, share > 0.9 && share < 1.1, share]).toEqual([name, true, share]);
  }
  // A full bucket at the start, and what a minute adds.
  for (const { id, requestsPerMinute: quota } of records)
    if (quota !== undefined) expect(answered.get(id)).toBeLessThanOrEqual(2 * quota);
  expect(total).toBeGreaterThan(600);
});

/** The number of answers of each key. */
function simulate(records: readonly KeyRecord[]): Map<string, number> {
  const order = new SlotOrder();
  const waiting: Request[] = [];
  let running: { readonly request: Request; readonly endsAt: number }[] = [];
  const answered = new Map<string, number>();
  let made = 0;
  const ask = (record: KeyRecord): void => {
    try {
      fixture.quotas.countRequest(record);
    } catch {
      return;
    }
    waiting.push({ client: record.id, weight: record.weight, takes: 300 + ((made++ * 7919) % 61) * 10 });
  };
  for (let now = 0; now < minute; now += step) {
    for (const { request } of running.filter(({ endsAt }) => endsAt <= now))
      answered.set(request.client, (answered.get(request.client) ?? 0) + 1);
    running = running.filter(({ endsAt }) => endsAt > now);
    for (const record of records)
      if (waiting.filter(({ client }) => client === record.id).length < waitingPerKey) ask(record);
    while (running.length < slots && waiting.length > 0) {
      const live = running.map(({ request }) => request);
      const next = order.next(waiting, live);
      order.taken(next);
      waiting.splice(waiting.indexOf(next), 1);
      running.push({ request: next, endsAt: now + next.takes });
    }
    clock.advance(step);
  }
  return answered;
}
