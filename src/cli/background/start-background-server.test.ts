import { expect, test } from 'vitest';
import { deadlineOfOther } from './start-background-server.ts';

const now = Date.UTC(2030, 0, 1, 12);
const storeInUse = (since: string): string =>
  `the store /s is in use by another Hearth: process 7 on host, since ${since}. Stop it, or use another store.`;

test('a server that has the store for long is not waited for', () => {
  expect(deadlineOfOther(storeInUse('2030-01-01T11:00:00.000Z'), now)).toBeLessThan(now);
});

test.each([
  ['a store that another command has taken now', storeInUse('2030-01-01T11:59:59.000Z')],
  ['an address', '127.0.0.1:11434 is in use by another server. Stop it'],
])('%s is waited for', (_, reason) => {
  expect(deadlineOfOther(reason, now)).toBeGreaterThan(now);
});
