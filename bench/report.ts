// Common to all measurements: rounds, medians, and report lines with a goal that is met or missed.

import { pause } from '../test/support/processes.ts';

export const rounds = Number(process.env['BENCH_ROUNDS'] ?? 11);

export interface Result {
  readonly what: string;
  readonly value: string;
  readonly goal?: string;
  readonly met?: boolean;
}

const results: Result[] = [];

export function report(result: Result): void {
  results.push(result);
  const mark = { true: '  ok ', false: ' MISS', undefined: '     ' }[String(result.met)];
  console.log(`${mark} ${result.what}: ${result.value}${result.goal ? ` (goal: ${result.goal})` : ''}`);
}

export function reportSummary(): void {
  const withGoal = results.filter(({ met }) => met !== undefined);
  console.log(`\n${withGoal.filter(({ met }) => met).length} of ${withGoal.length} goals met`);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Threads spin for a moment after a run, and would slow down the next one. */
export const waitForIdleCores = (): Promise<void> => pause(400);
