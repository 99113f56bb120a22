// Two results of evaluations as rows of a table.

import type { EvalsResponseBody, JudgedCategory } from '../../src/features/eval/evals-schema.ts';

export type EvalResult = EvalsResponseBody['results'][number];
export type TextComparison = Omit<EvalsResponseBody['comparisons'][number], 'created_at'>;

interface PairedRow {
  readonly category: string;
  readonly first: JudgedCategory | undefined;
  readonly second: JudgedCategory | undefined;
}

/** The last result, and the last one of another model. -1: there is none. */
export function choosePair(results: readonly EvalResult[]): readonly [number, number] {
  const [last] = results;
  return [last === undefined ? -1 : 0, results.findIndex(({ model }) => model !== last?.model)];
}

/** All categories of the first in its order, then those that only the second has, then the sums. */
export function pairRows(first: EvalResult, second: EvalResult | undefined): PairedRow[] {
  const names = [...first.categories, ...(second?.categories ?? [])].map(({ category }) => category);
  const find = (result: EvalResult | undefined, name: string): JudgedCategory | undefined =>
    result?.categories.find(({ category }) => category === name);
  const rows = [...new Set(names)].map((category) => ({
    category,
    first: find(first, category),
    second: find(second, category),
  }));
  return [...rows, { category: first.all.category, first: first.all, second: second?.all }];
}

/** The difference of the accuracies in percent, with its sign. */
export function differenceOf({ first, second }: PairedRow): string {
  if (first === undefined || second === undefined) return '';
  const difference = (first.accuracy - second.accuracy) * 100;
  return `${difference > 0 ? '+' : ''}${difference.toFixed(1)} %`;
}

export function formatAccuracy(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** The last comparison of two models on a text. */
export function findComparison(
  comparisons: readonly TextComparison[],
  [model, against]: readonly [string, string],
): TextComparison | undefined {
  return comparisons.find((one) => one.model === model && one.against === against);
}
