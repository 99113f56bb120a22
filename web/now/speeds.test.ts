import { describe, expect, test } from 'vitest';
import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';
import { sumPrompts, toRequestSpeeds, toSpeeds } from './speeds.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const none = { prompt_tokens: 0, cached_tokens: 0, generated_tokens: 0 };
const requestWith = (id: string | undefined, tokens: number) => ({
  ...none,
  ...(id === undefined ? {} : { id }),
  ...{ model: 'm', endpoint: '/', since: at(0), state: 'running' as const, generated_tokens: tokens },
});
const activityAt = (
  seconds: number,
  requests: ActivityResponseBody['requests'] = [],
  intervals: ActivityResponseBody['intervals'] = [],
): ActivityResponseBody => ({ time: at(seconds), requests, interval_ms: 5000, intervals });

test('the speed of an interval is per second', () => {
  const intervals = [none, { ...none, generated_tokens: 50 }];
  expect(toSpeeds(activityAt(0, [], intervals))).toEqual([0, 10]);
});

describe('the speed of a request', () => {
  test('is that between two moments', () => {
    const before = activityAt(10, [requestWith('a', 100)]);
    const now = activityAt(12, [requestWith('a', 130), requestWith('new', 5), requestWith(undefined, 5)]);
    expect([...toRequestSpeeds(now, before)]).toEqual([['a', 15]]);
  });

  test('is not known at first, nor without time in between', () => {
    const now = activityAt(10, [requestWith('a', 100)]);
    expect(toRequestSpeeds(now, undefined).size).toBe(0);
    expect(toRequestSpeeds(now, now).size).toBe(0);
  });
});

test('prompts are summed over all intervals', () => {
  const interval = { ...none, prompt_tokens: 10, cached_tokens: 4 };
  expect(sumPrompts([interval, none, interval])).toEqual({ prompt: 20, cached: 8 });
});
