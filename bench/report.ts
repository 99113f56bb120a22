// Shared by the measurements: alternating runs, medians, and report lines with a goal.

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
  const judged = results.filter(({ met }) => met !== undefined);
  console.log(`\n${judged.filter(({ met }) => met).length} of ${judged.length} goals met`);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Threads spin for a moment after a run, and the next run needs all cores. */
export const settle = (): Promise<void> => pause(400);
