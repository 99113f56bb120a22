import { expect, test } from 'vitest';
import { findPlace } from './answer-api.ts';

const waiting = (id: string) => ({ id, since: '', for: 'model' as const });

test('the place of a request in its queue', () => {
  const queues = [
    { model: 'a', waiting: [waiting('1')] },
    // Requests of other clients have no id.
    { model: 'b', waiting: [{ since: '', for: 'model' as const }, waiting('2')] },
  ];
  expect(findPlace({ queues }, '2')).toEqual({ position: 2, length: 2, isLoading: true });
  expect(findPlace({ queues }, '3')).toBeUndefined();
});
