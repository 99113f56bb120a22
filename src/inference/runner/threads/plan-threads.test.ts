import { describe, expect, test } from 'vitest';
import { type Contention, initialPlan, planAfterStuckPass, planThreads, type ThreadPlan } from './plan-threads.ts';

const windowLength = 100e6;

interface Machine {
  readonly processors: number;
  /** Programs that compute all the time. */
  readonly others: (window: number) => number;
  /** Processors that look free but cannot be used, as outside of a container. */
  readonly unusable?: number;
}

/** The numbers of threads in each window on a machine that divides its processors fairly. */
function simulate({ processors, others, unusable = 0 }: Machine, windows: number, limit = processors): number[] {
  let plan = initialPlan(limit);
  return Array.from({ length: windows }, (_, window) => {
    const { threads } = plan;
    const running = threads + others(window);
    const waiting = threads * (1 - Math.min(1, processors / running));
    const free = Math.max(0, processors - running) + unusable;
    plan = planThreads(plan, measured(window, waiting, free), limit);
    return threads;
  });
}

function measured(window: number, waiting: number, free: number): Contention {
  return { now: window * windowLength, time: windowLength, waiting, free };
}

const changes = (series: readonly number[]): number[] => series.filter((value, index) => value !== series[index - 1]);
const countOf = (series: readonly number[], value: number): number => series.filter((one) => one === value).length;

describe('on two processors', () => {
  test('a quiet machine keeps all threads', () => {
    expect(changes(simulate({ processors: 2, others: () => 0 }, 100))).toEqual([2]);
  });

  test('a busy program takes one thread after one window', () => {
    const series = simulate({ processors: 2, others: (window) => (window >= 10 ? 1 : 0) }, 20);
    expect(series.indexOf(1)).toBe(11);
  });

  test('a moment of work of other threads takes no thread', () => {
    const waiting = (window: number): number => (window % 5 === 0 ? 0.5 : 0.1);
    let plan = initialPlan(2);
    for (let window = 0; window < 100; window++) plan = planThreads(plan, measured(window, waiting(window), 0), 2);
    expect(plan.threads).toBe(2);
  });

  test('a thread that waits half of the time is taken after two windows, and on trial after one', () => {
    const first = planThreads(initialPlan(2), measured(0, 0.5, 0), 2);
    const second = planThreads(first, measured(1, 0.5, 0), 2);
    expect([first.threads, second.threads]).toEqual([2, 1]);
    const onTrial = { ...initialPlan(2), raised: { at: 0, from: 1 } };
    expect(planThreads(onTrial, measured(1, 0.5, 0), 2).threads).toBe(1);
  });

  test('free processors give the thread back soon', () => {
    const series = simulate({ processors: 2, others: (window) => (window < 10 ? 1 : 0) }, 100);
    expect(series.lastIndexOf(1)).toBeLessThan(13);
  });

  test('a thread is tried rarely, and less and less often, while a program is busy', () => {
    const series = simulate({ processors: 2, others: () => 1 }, 5000);
    expect(countOf(series.slice(1, 150), 2)).toBe(0);
    expect(countOf(series, 2)).toBeGreaterThan(2);
    expect(countOf(series, 2)).toBeLessThan(8);
  });

  test.each([
    { free: 0.3, seconds: 2 },
    { free: 0.1, seconds: 10 },
    { free: 0, seconds: 25 },
  ])(
    'a thread returns after $seconds s at most if other programs give way and leave $free of a processor',
    (machine) => {
      let plan = planThreads(initialPlan(2), measured(0, 0.8, 0), 2);
      expect(plan.threads).toBe(1);
      for (let window = 1; window < 10 * machine.seconds; window++)
        plan = planThreads(plan, measured(window, 0.1, machine.free), 2);
      expect(plan.threads).toBe(2);
    },
  );

  test('one thread is left, however many programs run', () => {
    const series = simulate({ processors: 2, others: () => 20 }, 1000);
    expect(Math.min(...series)).toBe(1);
    expect(countOf(series, 2)).toBeLessThan(20);
  });

  test('two models that compute at the same time use one thread each most of the time', () => {
    let plans: readonly [ThreadPlan, ThreadPlan] = [initialPlan(2), initialPlan(2)];
    let crowded = 0;
    for (let window = 0; window < 300; window++) {
      const running = plans[0].threads + plans[1].threads;
      if (running > 2) crowded++;
      const next = (plan: ThreadPlan): ThreadPlan => {
        const waiting = plan.threads * (1 - Math.min(1, 2 / running));
        return planThreads(plan, measured(window, waiting, Math.max(0, 2 - running)), 2);
      };
      plans = [next(plans[0]), next(plans[1])];
    }
    expect(crowded).toBeLessThan(20);
  });

  test('what other threads of the server compute changes nothing', () => {
    let plan = initialPlan(2);
    for (let window = 0; window < 100; window++) plan = planThreads(plan, measured(window, (window % 4) * 0.1, 0), 2);
    expect(plan.threads).toBe(2);
  });
});

describe('on many processors', () => {
  test.each([1, 3, 8])('%i busy programs take as many threads', (others) => {
    const series = simulate({ processors: 16, others: () => others }, 300).slice(20);
    expect(countOf(series, 16 - others)).toBeGreaterThan(250);
  });

  test('threads are given back as programs end', () => {
    const series = simulate({ processors: 16, others: (window) => Math.max(0, 12 - Math.floor(window / 20)) }, 400);
    expect(series[150]).toBeGreaterThanOrEqual(10);
    expect(series.at(-1)).toBe(16);
  });

  test('the limit is not exceeded', () => {
    const series = simulate({ processors: 16, others: (window) => (window < 20 ? 16 : 0) }, 100, 6);
    expect(Math.max(...series)).toBe(6);
    expect(series.at(-1)).toBe(6);
  });
});

describe('a pass that was stuck', () => {
  test('halves the threads until one is left', () => {
    let plan = initialPlan(16);
    const series = Array.from({ length: 5 }, () => {
      plan = planAfterStuckPass(plan);
      return plan.threads;
    });
    expect(series).toEqual([8, 4, 2, 1, 1]);
  });

  test('ends a trial: as many threads as before, and the next trial comes later', () => {
    const onTrial = { ...initialPlan(9), raised: { at: 0, from: 8 } };
    const plan = planAfterStuckPass(onTrial);
    expect(plan.threads).toBe(8);
    expect(plan.patience).toBe(2 * onTrial.patience);
  });

  test('free processors give threads back within three windows', () => {
    let plan = planAfterStuckPass(initialPlan(16));
    // One other program.
    for (let window = 0; window < 3; window++)
      plan = planThreads(plan, measured(window, 0.05, Math.max(0, 15 - plan.threads)), 16);
    expect(plan.threads).toBe(15);
  });
});

test('free processors that do not help are tried less and less often', () => {
  const series = simulate({ processors: 2, others: () => 1, unusable: 2 }, 1000);
  const raises = series.flatMap((threads, window) => (threads === 2 && series[window - 1] === 1 ? [window] : []));
  const gaps = raises.slice(1).map((window, index) => window - (raises[index] as number));
  expect(raises.length).toBeGreaterThan(3);
  expect(raises.length).toBeLessThan(40);
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
});
