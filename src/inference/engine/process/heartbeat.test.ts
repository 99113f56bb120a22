import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createHeartbeat } from './heartbeat.ts';

function setUp(cpu: () => number | undefined = () => 7) {
  const clock = createFakeClock();
  const state = { work: true, pings: 0, hangs: 0 };
  const heartbeat = createHeartbeat({
    clock,
    limit: 60_000,
    hasWork: () => state.work,
    ping: () => void state.pings++,
    cpuTime: cpu,
    onHang: () => void state.hangs++,
  });
  return { clock, state, heartbeat };
}

test('a silent runner is pinged, and hangs if it does not answer', () => {
  const { clock, state, heartbeat } = setUp();
  heartbeat.start();
  clock.advance(10_000);
  expect(state).toMatchObject({ pings: 1, hangs: 0 });
  clock.advance(59_999);
  expect(state.hangs).toBe(0);
  clock.advance(1);
  expect(state).toMatchObject({ pings: 1, hangs: 1 });
});

test('a runner that answers does not hang', () => {
  const { clock, state, heartbeat } = setUp();
  heartbeat.start();
  for (let second = 0; second < 600; second++) {
    clock.advance(1000);
    if (second % 50 === 49) heartbeat.touch();
  }
  expect(state.pings).toBe(12);
  expect(state.hangs).toBe(0);
});

test('a runner without work is left alone', () => {
  const { clock, state, heartbeat } = setUp();
  heartbeat.start();
  state.work = false;
  clock.advance(1e6);
  expect(state).toMatchObject({ pings: 0, hangs: 0 });
  state.work = true;
  heartbeat.start();
  clock.advance(70_000);
  expect(state.hangs).toBe(1);
});

test.each([
  ['uses the processor', () => Math.random()],
  ['may use the processor', () => undefined],
])('a runner that %s gets more time, but not without end', (_, cpu) => {
  const { clock, state, heartbeat } = setUp(cpu);
  heartbeat.start();
  clock.advance(600_000);
  expect(state.hangs).toBe(0);
  clock.advance(600_000);
  expect(state.hangs).toBe(1);
});
