// Accuracies with their confidence intervals.

import type { ItemResult } from './ask-item.ts';
import type { EvalItem } from './item.ts';

export interface EvalOutcome {
  readonly model: string;
  /** Empty if the server does not tell it. */
  readonly digest: string;
  readonly items: readonly EvalItem[];
  /** By index of the item. */
  readonly results: readonly ItemResult[];
}

export interface Accuracy {
  readonly category: string;
  readonly items: number;
  readonly correct: number;
  readonly accuracy: number;
  /** The interval that contains the true accuracy with a probability of 95 %. */
  readonly low: number;
  readonly high: number;
  readonly nanoseconds: number;
  /** Tokens that were evaluated or generated. */
  readonly tokens: number;
  readonly tokensPerSecond: number;
}

/** One accuracy for each category in the order of the items, and one for all. */
export function sumUp(items: readonly EvalItem[], results: readonly ItemResult[]) {
  const groups = new Map<string, ItemResult[]>();
  for (const [index, { category }] of items.entries()) {
    const group = groups.get(category) ?? [];
    group.push(results[index] as ItemResult);
    groups.set(category, group);
  }
  return {
    categories: [...groups].map(([category, group]) => toAccuracy(category, group)),
    all: toAccuracy('all', results),
  };
}

function toAccuracy(category: string, results: readonly ItemResult[]): Accuracy {
  const sum = (read: (result: ItemResult) => number): number => results.reduce((total, each) => total + read(each), 0);
  const correct = sum((result) => Number(result.correct));
  const nanoseconds = sum((result) => result.nanoseconds);
  const tokens = sum((result) => result.tokens);
  return {
    category,
    items: results.length,
    correct,
    accuracy: correct / results.length,
    ...wilsonInterval(correct, results.length),
    nanoseconds,
    tokens,
    tokensPerSecond: nanoseconds === 0 ? 0 : (tokens / nanoseconds) * 1e9,
  };
}

/** The quantile of the normal distribution for 95 %. */
const quantile = 1.959964;

/** Wilson's interval. It is right also for few items, and near 0 and 1. */
export function wilsonInterval(correct: number, items: number): { readonly low: number; readonly high: number } {
  const share = correct / items;
  const squared = quantile ** 2 / items;
  const center = (share + squared / 2) / (1 + squared);
  const half = (quantile * Math.sqrt((share * (1 - share)) / items + squared / items / 4)) / (1 + squared);
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}
