// Speeds and shares, from what the server counts.

import type { ActivityResponseBody } from '../../src/server/dialects/hearth/status/activity-schema.ts';

type Interval = ActivityResponseBody['intervals'][number];

/** Tokens per second of each interval. */
export function toSpeeds({ intervals, interval_ms: length }: ActivityResponseBody): number[] {
  return intervals.map(({ generated_tokens: tokens }) => (tokens * 1000) / length);
}

/** Tokens per second of each running request since the activity was read before, by id. */
export function toRequestSpeeds(
  { requests, time }: ActivityResponseBody,
  previous: ActivityResponseBody | undefined,
): ReadonlyMap<string, number> {
  const seconds = (Date.parse(time) - Date.parse(previous?.time ?? time)) / 1000;
  const before = new Map(previous?.requests.map(({ id, generated_tokens: tokens }) => [id, tokens]));
  const speeds = new Map<string, number>();
  for (const { id, generated_tokens: tokens } of requests) {
    const old = before.get(id);
    if (id !== undefined && old !== undefined && seconds > 0) speeds.set(id, Math.max(0, tokens - old) / seconds);
  }
  return speeds;
}

/** The prompt tokens of all intervals, and those of them that the prefix cache provided. */
export function sumPrompts(intervals: readonly Interval[]): { readonly prompt: number; readonly cached: number } {
  const sum = (field: 'prompt_tokens' | 'cached_tokens'): number =>
    intervals.reduce((total, interval) => total + interval[field], 0);
  return { prompt: sum('prompt_tokens'), cached: sum('cached_tokens') };
}
