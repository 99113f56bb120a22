import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a timer longer than the limit of setTimeout fires exactly when it is due', () => {
  const hundredDays = 100 * 24 * 3600 * 1000;
  const fired = vi.fn();
  systemClock.after(hundredDays, fired);
  vi.advanceTimersByTime(hundredDays - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fired).toHaveBeenCalledOnce();
});

test('a canceled timer does not fire, even past the limit of setTimeout', () => {
  const fired = vi.fn();
  const timer = systemClock.after(2 ** 32, fired);
  vi.advanceTimersByTime(2 ** 31);
  timer.cancel();
  vi.advanceTimersByTime(2 ** 33);
  expect(fired).not.toHaveBeenCalled();
});
