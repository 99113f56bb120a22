import { expect, test } from 'vitest';
import { describeWaiting } from './describe-waiting.ts';

const place = { position: 1, length: 2, isLoading: false };

test.each([
  [{ isLoading: false, place: undefined, promptShare: undefined }, 'Waiting for the first token'],
  [{ isLoading: true, place: undefined, promptShare: undefined }, 'Loading the model'],
  [{ isLoading: false, place: { ...place, isLoading: true }, promptShare: undefined }, 'Loading the model'],
  [{ isLoading: false, place, promptShare: undefined }, 'Waiting in the queue, 1 of 2'],
  [{ isLoading: false, place, promptShare: 0.428 }, 'Reading the prompt: 42%'],
])('%o', (waiting, text) => {
  expect(describeWaiting(waiting)).toBe(text);
});
