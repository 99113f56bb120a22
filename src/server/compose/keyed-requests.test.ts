import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createKeyFixture } from '../../../test/support/key-fixture.ts';
import { runInRequest } from '../../base/request/request-scope.ts';
import { toCallerKey } from '../../features/keys/access/key-record.ts';
import { controlQuotas } from '../../features/keys/server.ts';
import { countTokensOfKeys, createAdmit } from './keyed-requests.ts';

const fixture = createKeyFixture(createFakeClock());
const quotas = controlQuotas(fixture.keys, fixture.quotas);
afterAll(() => fixture.remove());
const { signal } = new AbortController();

test('a request with a key has the weight and the prefixes of its key, and others have neither', async () => {
  const admit = createAdmit(quotas);
  expect(admit()).toEqual({});
  const callers = [];
  for (const [index, grant] of [{ weight: 3 }, { group: 'team' }, {}].entries()) {
    const { record } = await fixture.create(`key-${index}`, grant);
    const scope = { id: '1', client: 'c', signal, key: toCallerKey(record) };
    callers.push(runInRequest(scope, admit));
  }
  const [heavy, grouped, single] = callers;
  expect(heavy).toMatchObject({ requestId: '1', client: 'c' });
  expect([heavy?.weight, grouped?.weight, grouped?.partition]).toEqual([3, 1, 'team']);
  expect(new Set([heavy?.partition, grouped?.partition, single?.partition]).size).toBe(3);
});

test('tokens of prompts, answers, embeddings and rankings count for the key', async () => {
  const { record } = await fixture.create('limited', { tokensPerDay: 18 });
  const ignore = () => {};
  const metrics = { waited: ignore, answered: ignore, embedded: ignore, ranked: ignore };
  const observer = countTokensOfKeys(metrics, quotas);
  const admit = createAdmit(quotas);
  const scope = { id: '1', client: 'c', signal, key: toCallerKey(record) };
  const drafts = { draftedTokens: 0, acceptedTokens: 0, modelDraftedTokens: 0, modelAcceptedTokens: 0 };
  const counts = { cachedTokens: 0, diskTokens: 0, ...drafts, generateSeconds: 0 };
  runInRequest(scope, () => {
    observer.answered({ model: 'm', promptTokens: 5, generatedTokens: 7, ...counts });
    observer.embedded({ model: 'm', texts: 1, tokens: 3 });
    admit();
    observer.ranked({ model: 'm', documents: 1, tokens: 3 });
    expect(admit).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  });
  admit();
});
