import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import type { TokenCount } from '../../base/request/request-report.ts';
import { type Activity, activityIntervalMs, activityIntervals, createActivity, type Work } from './activity.ts';

let clock: FakeClock;
let activity: Activity;
beforeEach(() => {
  clock = createFakeClock(0);
  activity = createActivity(clock);
});

/** A request whose tokens the test changes. */
function workOf(client: string): Work & { readonly count: TokenCount } {
  const count = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0 };
  return {
    id: client,
    client,
    key: '',
    endpoint: '/',
    since: 0,
    isBackground: false,
    model: () => 'm',
    tokens: () => ({ ...count }),
    count,
  };
}
const generated = (client?: string): number[] => activity.history(client).map(({ generatedTokens }) => generatedTokens);
const last = (number: number, client?: string): number[] => generated(client).slice(-number);
const passInterval = (): void => clock.advance(activityIntervalMs);

describe('the history', () => {
  test('has all intervals from the beginning', () => {
    expect(generated()).toEqual(Array.from({ length: activityIntervals }, () => 0));
  });

  test('has the tokens of an answer in the intervals in which they were generated', () => {
    const work = workOf('a');
    const end = activity.begin(work);
    work.count.generatedTokens = 10;
    clock.advance(activityIntervalMs - 1);
    work.count.generatedTokens = 30;
    clock.advance(1);
    passInterval();
    work.count.generatedTokens = 35;
    end();
    passInterval();
    expect(last(3)).toEqual([10, 20, 5]);
  });

  test('leaves out the current interval, which is not complete', () => {
    const work = workOf('a');
    activity.begin(work);
    work.count.generatedTokens = 10;
    expect(last(1)).toEqual([0]);
    passInterval();
    expect(last(1)).toEqual([10]);
  });

  test('counts prompts and their cached part, once', () => {
    const work = workOf('a');
    const end = activity.begin(work);
    Object.assign(work.count, { promptTokens: 100, cachedTokens: 60 });
    clock.advance(activityIntervalMs / 2);
    end();
    end();
    clock.advance(activityIntervalMs / 2);
    expect(activity.history().at(-1)).toEqual({ promptTokens: 100, cachedTokens: 60, generatedTokens: 0 });
  });

  test('adds up all clients, or shows one', () => {
    const works = ['a', 'b'].map(workOf);
    for (const [index, work] of works.entries()) {
      activity.begin(work);
      work.count.generatedTokens = 10 ** index;
    }
    activity.history();
    passInterval();
    expect([last(1), last(1, 'a'), last(1, 'b'), last(1, 'c')]).toEqual([[11], [1], [10], [0]]);
  });

  test('does not fall if a count is corrected', () => {
    const work = workOf('a');
    activity.begin(work);
    work.count.generatedTokens = 10;
    activity.history();
    work.count.generatedTokens = 8;
    activity.history();
    passInterval();
    expect(last(1)).toEqual([10]);
  });

  test('forgets what is too old', () => {
    const work = workOf('a');
    activity.begin(work);
    work.count.generatedTokens = 10;
    activity.history();
    for (let number = 0; number < activityIntervals; number++) passInterval();
    expect(generated()[0]).toBe(10);
    passInterval();
    expect(generated().every((tokens) => tokens === 0)).toBe(true);
  });
});

test('requests are listed until they end', () => {
  const [first, second] = [workOf('a'), workOf('b')];
  const end = activity.begin(first);
  activity.begin(second);
  expect(activity.list()).toEqual([first, second]);
  end();
  expect(activity.list()).toEqual([second]);
});
