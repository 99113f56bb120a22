import { describe, expect, test } from 'vitest';
import { initialPlan, planThreads, type ThreadPlan } from './plan-threads.ts';

const windowLength = 100e6;

interface Machine {
  readonly processors: number;
  /** Programs that compute all the time. */
  readonly others: (window: number) => number;
  /** Processors that look idle but cannot be used, as outside of a container. */
  readonly unusable?: number;
}

/** The numbers of threads in each window on a machine that divides its processors fairly. */
function simulate({ processors, others, unusable = 0 }: Machine, windows: number, limit = processors): number[] {
  let plan = initialPlan(limit);
  return Array.from({ length: windows }, (_, window) => {
    const { threads } = plan;
    const running = threads + others(window);
    const share = Math.min(1, processors / running);
    const contention = {
      now: window * windowLength,
      waiting: threads * (1 - share),
      idle: Math.max(0, processors - running) + unusable,
    };
    plan = planThreads(plan, contention, limit);
    return threads;
  });
}

const changes = (series: readonly number[]): number[] => series.filter((value, index) => value !== series[index - 1]);

describe('on two processors', () => {
  test('a quiet machine keeps all threads', () => {
    expect(changes(simulate({ processors: 2, others: () => 0 }, 100))).toEqual([2]);
  });

  test('a busy program takes one thread after one window, for as long as it runs', () => {
    const series = simulate({ processors: 2, others: (window) => (window >= 10 && window < 60 ? 1 : 0) }, 100);
    expect(changes(series)).toEqual([2, 1, 2]);
    expect(series.indexOf(1)).toBe(11);
    expect(series.lastIndexOf(1)).toBeGreaterThanOrEqual(60);
    expect(series.lastIndexOf(1)).toBeLessThan(64);
  });

  test('one thread is left, however many programs run', () => {
    expect(changes(simulate({ processors: 2, others: () => 20 }, 100))).toEqual([2, 1]);
  });

  test('two models that compute at the same time use one thread each', () => {
    let plans: readonly [ThreadPlan, ThreadPlan] = [initialPlan(2), initialPlan(2)];
    for (let window = 0; window < 50; window++) {
      const [first, second] = plans;
      const running = first.threads + second.threads;
      const next = (plan: ThreadPlan): ThreadPlan => {
        const waiting = plan.threads * (1 - Math.min(1, 2 / running));
        return planThreads(plan, { now: window * windowLength, waiting, idle: Math.max(0, 2 - running) }, 2);
      };
      plans = [next(first), next(second)];
    }
    expect(plans.map(({ threads }) => threads)).toEqual([1, 1]);
  });

  test('what other threads of the server compute changes nothing', () => {
    let plan = initialPlan(2);
    for (let window = 0; window < 100; window++)
      plan = planThreads(plan, { now: window * windowLength, waiting: (window % 4) * 0.1, idle: 0 }, 2);
    expect(plan.threads).toBe(2);
  });

  test('processors that are idle for a moment change nothing', () => {
    const series = simulate({ processors: 2, others: (window) => (window % 3 === 2 ? 0 : 1) }, 100);
    expect(changes(series)).toEqual([2, 1]);
  });
});

describe('on many processors', () => {
  test('each busy program takes one thread', () => {
    for (const others of [1, 3, 8]) {
      const series = simulate({ processors: 16, others: () => others }, 100);
      expect(series.at(-1)).toBe(16 - others);
    }
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

test('idle processors that do not help are tried less and less often', () => {
  const series = simulate({ processors: 2, others: () => 1, unusable: 2 }, 1000);
  const raises = series.flatMap((threads, window) => (threads === 2 && series[window - 1] === 1 ? [window] : []));
  const gaps = raises.slice(1).map((window, index) => window - (raises[index] as number));
  expect(raises.length).toBeGreaterThan(3);
  expect(raises.length).toBeLessThan(20);
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
});
