import { expect, test } from 'vitest';
import { type RequestScope, runInRequest } from './request-scope.ts';
import { exchangeLimits, openCount, openExchange, sumCounts } from './request-usage.ts';

function scopeOf(fields: Partial<RequestScope> = {}): RequestScope {
  return { id: 'r', client: 'c', signal: new AbortController().signal, ...fields };
}

test('the tokens of a request are the sum over its answers, also of those that have not ended', () => {
  const scope = scopeOf();
  runInRequest(scope, () => {
    Object.assign(openCount(), { promptTokens: 5, cachedTokens: 2, generatedTokens: 1 });
    openCount().generatedTokens = 3;
  });
  expect(sumCounts(scope.counts ?? [])).toEqual({ promptTokens: 5, cachedTokens: 2, generatedTokens: 4 });
});

test('outside of a request, tokens are counted for nobody', () => {
  expect(openCount()).toEqual({ promptTokens: 0, cachedTokens: 0, generatedTokens: 0 });
});

test('texts are kept only if the request has a place for them', () => {
  expect(runInRequest(scopeOf(), () => openExchange('secret'))).toBeUndefined();
  const scope = scopeOf({ exchanges: [] });
  const add = runInRequest(scope, () => openExchange('Why?'));
  add?.('Be');
  add?.('cause.');
  expect(scope.exchanges).toEqual([{ prompt: 'Why?', answer: 'Because.' }]);
});

test('texts and their number are limited; of a prompt, the start and the end are kept', () => {
  const scope = scopeOf({ exchanges: [] });
  const prompt = `start ${'x'.repeat(exchangeLimits.text)} end`;
  runInRequest(scope, () => {
    for (let index = 0; index < 100; index++) openExchange(prompt)?.('y'.repeat(2 * exchangeLimits.text));
  });
  expect(scope.exchanges).toHaveLength(exchangeLimits.exchanges);
  for (const { prompt: kept, answer } of scope.exchanges ?? []) {
    expect(kept).toMatch(/^start x+\n\[10 characters left out\]\nx+ end$/);
    expect(answer).toHaveLength(exchangeLimits.text);
  }
});
