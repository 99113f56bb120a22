import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createStopWatch, isStopped } from './heartbeat.ts';

function setUp() {
  const clock = createFakeClock();
  const state = { work: true, stopped: false, stops: 0 };
  const watch = createStopWatch({
    clock,
    hasWork: () => state.work,
    isStopped: () => state.stopped,
    onStop: () => void state.stops++,
  });
  return { clock, state, watch };
}

test('a runner that stays stopped is reported once, within seconds', () => {
  const { clock, state, watch } = setUp();
  watch.start();
  clock.advance(60_000);
  expect(state.stops).toBe(0);
  state.stopped = true;
  clock.advance(3000);
  expect(state.stops).toBe(1);
  clock.advance(60_000);
  expect(state.stops).toBe(1);
});

test('a runner that continues is left alone, and so is one without work', () => {
  const { clock, state, watch } = setUp();
  watch.start();
  for (let round = 0; round < 10; round++) {
    state.stopped = true;
    clock.advance(2000);
    state.stopped = false;
    clock.advance(1000);
  }
  state.work = false;
  state.stopped = true;
  clock.advance(60_000);
  expect(state.stops).toBe(0);
  state.work = true;
  watch.start();
  clock.advance(3000);
  expect(state.stops).toBe(1);
});

test.skipIf(process.platform !== 'linux')(
  'the kernel tells a stopped process from a waiting and a computing one',
  async () => {
    const children = ['setInterval(() => {}, 1000)', 'for (;;);'].map((code) => spawn(process.execPath, ['-e', code]));
    try {
      for (const { pid = 0 } of children) {
        expect(isStopped(pid)).toBe(false);
        process.kill(pid, 'SIGSTOP');
        await expect.poll(() => isStopped(pid)).toBe(true);
        process.kill(pid, 'SIGCONT');
        await expect.poll(() => isStopped(pid)).toBe(false);
      }
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
  },
);
