import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { createKeyFixture, type KeyFixture } from '../../../../test/support/key-fixture.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { KeyRecord } from './key-record.ts';
import { createQuotas } from './quotas.ts';

let clock: FakeClock;
let fixture: KeyFixture;
let path: string;
beforeEach(() => {
  clock = createFakeClock(Date.UTC(2030, 0, 1, 12));
  fixture = createKeyFixture(clock);
  path = join(fixture.path, '..', 'quotas.json');
});
afterEach(() => fixture.remove());

/** 52 tokens with a template. */
const short = { promptBytes: 30, answerTokens: 10 };

/** A request that uses so many tokens. */
function use(quotas: KeyFixture['quotas'], key: Pick<KeyRecord, 'id' | 'name' | 'tokensPerDay'>, tokens: number): void {
  const meter = quotas.openMeter(key, short);
  meter.count(tokens);
  meter.close();
}

test('a burst of the whole minute is allowed, then one request per part of the minute', async () => {
  const { record } = await fixture.create('anna', { requestsPerMinute: 6 });
  const count = () => fixture.quotas.countRequest(record);
  for (let request = 0; request < 6; request++) count();
  expect(count).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 10 }));
  clock.advance(4000);
  expect(count).toThrow(expect.objectContaining({ retryAfterSeconds: 6 }));
  clock.advance(6000);
  count();
  expect(count).toThrow('6 requests per minute');
  clock.advance(3_600_000);
  for (let request = 0; request < 6; request++) count();
  expect(count).toThrow();
});

test('keys have their own quotas, and a key without one has none', async () => {
  const { record: anna } = await fixture.create('anna', { requestsPerMinute: 1 });
  const { record: bert } = await fixture.create('bert', { requestsPerMinute: 1 });
  const { record: free } = await fixture.create('free');
  fixture.quotas.countRequest(anna);
  fixture.quotas.countRequest(bert);
  expect(() => fixture.quotas.countRequest(anna)).toThrow();
  for (let request = 0; request < 1000; request++) fixture.quotas.countRequest(free);
});

test('tokens are counted per day of UTC', async () => {
  const { record } = await fixture.create('anna', { tokensPerDay: 100 });
  const { quotas } = fixture;
  use(quotas, record, 99);
  use(quotas, record, 50);
  expect(() => use(quotas, record, 1)).toThrow(
    expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 12 * 3600 }),
  );
  clock.advance(12 * 3_600_000);
  use(quotas, record, 1);
});

test('requests at once reserve what they will use, and give back what they do not', async () => {
  const { record } = await fixture.create('anna', { tokensPerDay: 300 });
  const open = () => fixture.quotas.openMeter(record, short);
  const meters = Array.from({ length: 5 }, open);
  expect(open).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      message: expect.stringContaining('try again when they have ended'),
    }),
  );
  for (const meter of meters) {
    expect(meter.count(5)).toBe(true);
    meter.close();
  }
  const rest = fixture.quotas.openMeter(record, { promptBytes: 3000 });
  expect(open).toThrow('running requests');
  expect([rest.count(274), rest.count(275)]).toEqual([true, false]);
  rest.close();
  expect(open).toThrow('has used its 300 tokens');
});

test('an answer that is longer than expected goes on while tokens are left', async () => {
  const { record } = await fixture.create('anna', { tokensPerDay: 100 });
  const meter = fixture.quotas.openMeter(record, short);
  expect([meter.count(20), meter.count(60), meter.count(99), meter.count(100)]).toEqual([true, true, true, false]);
});

test('tokens survive a restart', async () => {
  const { record } = await fixture.create('anna', { tokensPerDay: 100 });
  use(fixture.quotas, record, 100);
  await fixture.quotas.close();
  const next = createQuotas({ path, clock, logger: silentLogger });
  expect(() => use(next, record, 1)).toThrow('has used its 100 tokens');
});

test('a damaged file starts the day again', async () => {
  const { record } = await fixture.create('anna', { tokensPerDay: 100 });
  writeFileSync(path, '{"day":21915,"tokens":{"a":"x"');
  use(createQuotas({ path, clock, logger: silentLogger }), record, 1);
});

test('quotas that cannot be written are in the log once', async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const quotas = createQuotas({ path: join(path, 'missing', 'quotas.json'), clock, logger });
  for (let turn = 0; turn < 3; turn++) {
    use(quotas, { id: '1', name: 'anna' }, 10);
    await quotas.close();
  }
  expect(warnings).toEqual(['could not write the quotas']);
});
