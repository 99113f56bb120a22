import { expect, test } from 'vitest';
import { judgeClock } from './clock.ts';

const now = Date.UTC(2030, 0, 10);
const hour = 3_600_000;
const facts = { now, installed: now - 1000 * hour };

test.each([
  ['no network', facts, 'ok', '2030-01-10T00:00:00.000Z, not compared with another clock'],
  ['a second', { ...facts, elsewhere: now + 1000 }, 'ok', '2030-01-10T00:00:00.000Z, as the registry says'],
  ['behind', { ...facts, elsewhere: now + 3 * hour }, 'warning', '2030-01-10T00:00:00.000Z is 3 hours slow'],
  ['ahead', { ...facts, elsewhere: now - 3 * hour }, 'warning', '2030-01-10T00:00:00.000Z is 3 hours fast'],
  [
    'an empty battery',
    { now: 0, installed: now },
    'problem',
    '1970-01-01T00:00:00.000Z is before the installation of Hearth',
  ],
])('%s', (_, given, status, text) => {
  expect(judgeClock(given)).toMatchObject([{ status, text }]);
});
