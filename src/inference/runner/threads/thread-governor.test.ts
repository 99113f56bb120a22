import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createThreadGovernor } from './thread-governor.ts';

const window = 100;

/** A machine with two processors. `busy` sets whether another program uses one of them. */
function setUp({ limit = 2 } = {}) {
  const clock = createFakeClock();
  const totals = { waited: 0, free: 0, readings: 0 };
  const meter = {
    isExact: true,
    window: window * 1e6,
    watch() {},
    waited() {
      totals.readings++;
      return totals.waited;
    },
    free: () => totals.free,
  };
  const governor = createThreadGovernor({ limit, meter, clock });
  let busy = false;
  const pass = (milliseconds: number): void => {
    governor.begin();
    const { threads } = governor;
    clock.advance(milliseconds);
    totals.waited += (busy && threads === 2 ? 0.8 : 0) * milliseconds * 1e6;
    totals.free += Math.max(0, 2 - threads - (busy ? 1 : 0)) * milliseconds * 1e6;
    governor.end();
  };
  return {
    governor,
    clock,
    totals,
    pass,
    setBusy(value: boolean) {
      busy = value;
    },
  };
}

test('threads follow the other programs', () => {
  const { governor, pass, setBusy } = setUp();
  for (let count = 0; count < 100; count++) pass(30);
  expect(governor.threads).toBe(2);
  setBusy(true);
  for (let count = 0; count < 8; count++) pass(30);
  expect(governor.threads).toBe(1);
  for (let count = 0; count < 100; count++) pass(30);
  expect(governor.threads).toBe(1);
  setBusy(false);
  for (let count = 0; count < 20; count++) pass(30);
  expect(governor.threads).toBe(2);
});

test('a pass that is longer than a window is a window', () => {
  const { governor, pass, setBusy } = setUp();
  setBusy(true);
  pass(1000);
  expect(governor.threads).toBe(1);
});

test('a pass that was stopped takes a thread at once, although threads waited only at the end of the window', () => {
  const { governor, clock, totals, pass } = setUp();
  for (let count = 0; count < 3; count++) pass(30);
  governor.begin();
  clock.advance(5);
  totals.waited += 1e6;
  governor.giveWay();
  expect(governor.threads).toBe(1);
});

test('a pass that was stopped while a thread is on trial doubles the time until the next trial', () => {
  const { governor, clock, pass, setBusy } = setUp();
  const passesUntilTrial = (): number => {
    let count = 0;
    for (; governor.threads === 1; count++) pass(30);
    return count;
  };
  const stop = (): void => {
    governor.begin();
    clock.advance(80);
    governor.giveWay();
  };
  setBusy(false);
  stop();
  const first = passesUntilTrial();
  stop();
  expect(passesUntilTrial()).toBeGreaterThan(first);
});

test('what happens between requests is not measured', () => {
  const { governor, clock, totals, pass } = setUp();
  for (let count = 0; count < 20; count++) {
    pass(30);
    clock.advance(1000);
    // Threads that spin until they sleep.
    totals.waited += 500e6;
  }
  expect(governor.threads).toBe(2);
});

test('short passes are not measured one by one', () => {
  const { totals, pass } = setUp();
  const before = totals.readings;
  for (let count = 0; count < 1000; count++) pass(1);
  expect(totals.readings - before).toBeLessThan(30);
});
