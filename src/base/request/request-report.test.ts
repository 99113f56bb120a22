import { expect, test } from 'vitest';
import { exchangeLimits, RequestReport, sumCounts } from './request-report.ts';

test('the tokens of a request are the sum over its answers, also of those that have not ended', () => {
  const report = new RequestReport();
  Object.assign(report.openCount(), { promptTokens: 5, cachedTokens: 2, generatedTokens: 1 });
  report.openCount().generatedTokens = 3;
  expect(sumCounts(report.counts)).toEqual({ promptTokens: 5, cachedTokens: 2, generatedTokens: 4 });
});

test('the first failure is kept', () => {
  const report = new RequestReport();
  report.fail('busy', 'too many requests');
  report.fail('internal', 'later');
  expect(report).toMatchObject({ failure: 'busy', reason: 'too many requests' });
});

test('texts are kept only if the server keeps them, also after the response', () => {
  expect(new RequestReport().openExchange('secret')).toBeUndefined();
  for (const report of [
    new RequestReport({ keepsTexts: true }),
    new RequestReport({ keepsTexts: true }).createNext(),
  ]) {
    const add = report.openExchange('Why?');
    add?.('Be');
    add?.('cause.');
    expect(report.exchanges).toEqual([{ prompt: 'Why?', answer: 'Because.' }]);
  }
});

test('texts and their number are limited; of a prompt, the start and the end are kept', () => {
  const report = new RequestReport({ keepsTexts: true });
  const { maxCharacters, maxExchanges } = exchangeLimits;
  const prompt = `start ${'x'.repeat(maxCharacters)} end`;
  for (let index = 0; index < 100; index++) report.openExchange(prompt)?.('y'.repeat(2 * maxCharacters));
  expect(report.exchanges).toHaveLength(maxExchanges);
  for (const { prompt: kept, answer } of report.exchanges) {
    expect(kept).toMatch(/^start x+\n\[10 characters left out\]\nx+ end$/);
    expect(answer).toHaveLength(maxCharacters);
  }
});

test('a few fields without effect are kept, each once', () => {
  const noted: (readonly string[])[] = [];
  const report = new RequestReport({ onIgnored: (names) => noted.push(names) });
  report.ignore(['a', 'b', 'a']);
  report.ignore(['b', 'c'.repeat(100)]);
  report.ignore([]);
  expect(noted).toEqual([['a', 'b'], ['c'.repeat(64)]]);
  report.ignore(Array.from({ length: 1000 }, (_, index) => `${index}`));
  expect(report.ignored).toHaveLength(32);
});
