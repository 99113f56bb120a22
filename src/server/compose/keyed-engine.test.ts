import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createFakeEngine } from '../../../test/support/fake-engine.ts';
import { createKeyFixture } from '../../../test/support/key-fixture.ts';
import { runInRequest } from '../../base/request/request-scope.ts';
import { toCallerKey } from '../../features/keys/access/key-record.ts';
import { controlQuotas } from '../../features/keys/server.ts';
import type { AcquireRequest } from '../../inference/engine/ports.ts';
import { countTokensOfKeys, createKeyedEngine } from './keyed-engine.ts';

const fixture = createKeyFixture(createFakeClock());
const quotas = controlQuotas(fixture.keys, fixture.quotas);
afterAll(() => fixture.remove());
const { signal } = new AbortController();
const request = { name: 'ember', source: { key: 'k' }, options: {} } as unknown as AcquireRequest;

test('a request with a key has the weight and the prefixes of its key, and others have neither', async () => {
  const engine = createFakeEngine();
  const keyed = createKeyedEngine(engine, quotas);
  const grants = [{ weight: 3 }, { group: 'team' }, {}];
  await keyed.acquire(request, signal);
  for (const [index, grant] of grants.entries()) {
    const { record } = await fixture.create(`key-${index}`, grant);
    const scope = { id: '1', client: 'c', signal, key: toCallerKey(record) };
    await runInRequest(scope, () => keyed.acquire(request, signal));
  }
  const [open, heavy, grouped, single] = engine.acquired;
  expect(open).toEqual(request);
  expect([heavy?.weight, grouped?.weight, grouped?.partition]).toEqual([3, 1, 'team']);
  expect(new Set([heavy?.partition, grouped?.partition, single?.partition]).size).toBe(3);
});

test('tokens of prompts, answers, embeddings and rankings count for the key', async () => {
  const { record } = await fixture.create('limited', { tokensPerDay: 18 });
  const ignore = () => {};
  const metrics = { waited: ignore, answered: ignore, embedded: ignore, ranked: ignore };
  const observer = countTokensOfKeys(metrics, quotas);
  const keyed = createKeyedEngine(createFakeEngine(), quotas);
  const scope = { id: '1', client: 'c', signal, key: toCallerKey(record) };
  const drafts = { draftedTokens: 0, acceptedTokens: 0, modelDraftedTokens: 0, modelAcceptedTokens: 0 };
  const counts = { cachedTokens: 0, diskTokens: 0, ...drafts, generateSeconds: 0 };
  await runInRequest(scope, async () => {
    observer.answered({ model: 'm', promptTokens: 5, generatedTokens: 7, ...counts });
    observer.embedded({ model: 'm', texts: 1, tokens: 3 });
    await keyed.acquire(request, signal);
    observer.ranked({ model: 'm', documents: 1, tokens: 3 });
    await expect(keyed.acquire(request, signal)).rejects.toMatchObject({ code: 'rate_limited' });
  });
  await keyed.acquire(request, signal);
});
