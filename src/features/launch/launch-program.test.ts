import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { HearthClient } from '../../client/client.ts';
import { keepServer } from './launch-program.ts';

test('the server gets a request every minute until the end, also after one that failed', () => {
  const clock = createFakeClock();
  let requests = 0;
  const ps: HearthClient['ps'] = () => {
    requests++;
    return Promise.reject(new Error('unreachable'));
  };
  const release = keepServer({ ps }, clock);
  clock.advance(59_999);
  expect(requests).toBe(0);
  clock.advance(1);
  expect(requests).toBe(1);
  clock.advance(60_000);
  expect(requests).toBe(2);
  release();
  clock.advance(600_000);
  expect(requests).toBe(2);
});
