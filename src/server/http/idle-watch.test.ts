import { beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createIdleWatch } from './idle-watch.ts';

const limit = 60_000;
const onIdle = vi.fn();
let busy = false;
let clock: ReturnType<typeof createFakeClock>;
beforeEach(() => {
  onIdle.mockClear();
  busy = false;
  clock = createFakeClock();
});

const watch = () => createIdleWatch({ clock, limitMs: limit, isBusy: () => busy, onIdle });

/** Advances in small steps, so that timers that others have set can fire in between. */
function wait(milliseconds: number): void {
  for (let waited = 0; waited < milliseconds; waited += 1000) clock.advance(1000);
}

test('a server without work is idle after the limit, once', () => {
  watch();
  wait(limit - 1000);
  expect(onIdle).not.toHaveBeenCalled();
  wait(7000);
  expect(onIdle).toHaveBeenCalledTimes(1);
  wait(5 * limit);
  expect(onIdle).toHaveBeenCalledTimes(1);
});

test('a busy server is never idle, and the limit starts when the work ends', () => {
  watch();
  busy = true;
  wait(5 * limit);
  busy = false;
  wait(limit - 7000);
  expect(onIdle).not.toHaveBeenCalled();
  wait(14_000);
  expect(onIdle).toHaveBeenCalledTimes(1);
});

test('short work between two checks counts', () => {
  const { noteWork } = watch();
  for (let turn = 0; turn < 10; turn++) {
    wait(limit / 2);
    noteWork();
  }
  expect(onIdle).not.toHaveBeenCalled();
});

test('a stopped watch reports nothing', () => {
  watch().stop();
  wait(5 * limit);
  expect(onIdle).not.toHaveBeenCalled();
});
