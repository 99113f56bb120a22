import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pollWhileVisible } from './poll.ts';

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
const show = (state: 'visible' | 'hidden'): void => {
  page.visibilityState = state;
  page.dispatchEvent(new Event('visibilitychange'));
};
const read = vi.fn(async () => {});
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', globalThis);
  page.visibilityState = 'visible';
  read.mockClear();
  stop = pollWhileVisible(read, 1000);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test('reads at once, and then again and again', async () => {
  expect(read).toHaveBeenCalledTimes(1);
  await pass(3);
  expect(read).toHaveBeenCalledTimes(4);
});

test('pauses while the page is hidden, and reads at once when it is shown', async () => {
  await pass(1);
  show('hidden');
  await pass(10);
  expect(read).toHaveBeenCalledTimes(2);
  show('visible');
  expect(read).toHaveBeenCalledTimes(3);
  await pass(1);
  expect(read).toHaveBeenCalledTimes(4);
});

test('does not read while it reads, and goes on after an error', async () => {
  let fail: (error: Error) => void = () => {};
  read.mockImplementationOnce(() => new Promise((_, reject) => (fail = reject)));
  await pass(1);
  show('visible');
  await pass(10);
  expect(read).toHaveBeenCalledTimes(2);
  fail(new Error('offline'));
  await pass(1);
  expect(read).toHaveBeenCalledTimes(3);
});

test('ends when it is stopped', async () => {
  stop();
  show('visible');
  await pass(10);
  expect(read).toHaveBeenCalledTimes(1);
});
