import { expect, test } from 'vitest';
import { type LoggedExchanges, RequestLog } from './request-log.ts';

function requestOf(id: string, answer = ''): LoggedExchanges {
  const tokens = { promptTokens: 1, cachedTokens: 0, generatedTokens: 1 };
  const fields = { time: 0, key: '', model: 'm', dialect: 'ollama', endpoint: '/', milliseconds: 1, outcome: 'ok' };
  return { ...fields, ...tokens, id, exchanges: [{ prompt: 'p', answer }] };
}

const idsIn = (log: RequestLog) => log.list().map(({ id }) => id);

test('the last requests are kept, the last one first', () => {
  const log = new RequestLog(2);
  for (const id of ['a', 'b', 'c']) log.add(requestOf(id));
  expect(idsIn(log)).toEqual(['c', 'b']);
});

test('their texts are limited together', () => {
  const log = new RequestLog(100, 10_000);
  for (const id of ['a', 'b', 'c']) log.add(requestOf(id, 'x'.repeat(1500)));
  expect(idsIn(log)).toEqual(['c', 'b']);
  log.add(requestOf('large', 'x'.repeat(10_000)));
  expect(idsIn(log)).toEqual([]);
  log.add(requestOf('d'));
  expect(idsIn(log)).toEqual(['d']);
});
