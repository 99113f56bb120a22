import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createKeyFixture } from '../../../test/support/key-fixture.ts';
import { runInRequest } from '../../base/request/request-scope.ts';
import { toCallerKey } from '../../features/keys/access/key-record.ts';
import { controlQuotas } from '../../features/keys/server.ts';
import { createOpenTokenMeter, describeCaller } from './create-generation.ts';

const fixture = createKeyFixture(createFakeClock());
const quotas = controlQuotas(fixture.keys, fixture.quotas);
afterAll(() => fixture.remove());
const { signal } = new AbortController();

test('a request with a key has the weight and the prefixes of its key, and others have neither', async () => {
  expect(describeCaller()).toEqual({});
  const callers = [];
  for (const [index, grant] of [{ weight: 3 }, { group: 'team' }, {}].entries()) {
    const { record } = await fixture.create(`key-${index}`, grant);
    const scope = { id: '1', client: 'c', signal, key: toCallerKey(record) };
    callers.push(runInRequest(scope, describeCaller));
  }
  const [heavy, grouped, single] = callers;
  expect(heavy).toMatchObject({ requestId: '1', client: 'c' });
  expect([heavy?.weight, grouped?.weight, grouped?.partition]).toEqual([3, 1, 'team']);
  expect(new Set([heavy?.partition, grouped?.partition, single?.partition]).size).toBe(3);
});

test('tokens count for the key of the request', async () => {
  const { record } = await fixture.create('limited', { tokensPerDay: 18 });
  const openMeter = createOpenTokenMeter(quotas);
  const scope = { id: '1', client: 'c', signal, key: toCallerKey(record) };
  await runInRequest(scope, async () => {
    const meter = await openMeter({ promptBytes: 0, answerTokens: 1 });
    expect([meter.count(17), meter.count(18)]).toEqual([true, false]);
    meter.close();
    expect(() => openMeter({ promptBytes: 0 })).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  });
  expect((await openMeter({ promptBytes: 0 })).count(1e9)).toBe(true);
});
