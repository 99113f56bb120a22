// Sums up usage by key, model, day or alias. The number of groups is limited; further ones are summed up in one.

import { dayOf, type UsageRecord } from './usage-record.ts';

export type UsageGrouping = 'key' | 'model' | 'day' | 'alias';

export interface UsageSum {
  requests: number;
  /** Requests that did not end with `ok`. */
  failed: number;
  promptTokens: number;
  cachedTokens: number;
  generatedTokens: number;
  /** The durations of all requests, which may have run at the same time. */
  milliseconds: number;
  /** When the last of them ended: milliseconds since the epoch; 0 if there is none. */
  lastTime: number;
}

interface UsageGroup extends Readonly<UsageSum> {
  /** The name of the key or the model, or the day in UTC. Or the alias with its model. Empty: without it. */
  readonly name: string;
}

export interface UsageSummary {
  /** Days in order; keys and models by their tokens, the largest number first. */
  readonly groups: readonly UsageGroup[];
  readonly total: Readonly<UsageSum>;
}

export const maxGroups = 1000;
/** The group of all names past the limit. */
export const otherGroup = 'other';

export interface SumOptions {
  readonly by: UsageGrouping;
  /** Only the requests of the key with this id. Absent: all. */
  readonly keyId?: string;
}

const nameOf: Readonly<Record<UsageGrouping, (record: UsageRecord) => string>> = {
  key: ({ key }) => key,
  model: ({ model }) => model,
  day: ({ time }) => dayOf(time),
  alias: ({ alias, model }) => (alias === undefined ? '' : `${alias} → ${model}`),
};

export async function sumUsage(
  parts: AsyncIterable<readonly UsageRecord[]>,
  { by, keyId }: SumOptions,
): Promise<UsageSummary> {
  const groups = new Map<string, UsageSum>();
  const total = emptySum();
  const groupOf = (name: string): UsageSum => {
    const known = groups.get(name);
    if (known !== undefined) return known;
    if (groups.size >= maxGroups && name !== otherGroup) return groupOf(otherGroup);
    const sum = emptySum();
    groups.set(name, sum);
    return sum;
  };
  for await (const records of parts) {
    for (const record of records) {
      if (keyId !== undefined && record.keyId !== keyId) continue;
      add(groupOf(nameOf[by](record)), record);
      add(total, record);
    }
  }
  const named = Array.from(groups, ([name, sum]) => ({ name, ...sum }));
  return { groups: named.sort(by === 'day' ? byName : byTokens), total };
}

function emptySum(): UsageSum {
  return { requests: 0, failed: 0, promptTokens: 0, cachedTokens: 0, generatedTokens: 0, milliseconds: 0, lastTime: 0 };
}

function add(sum: UsageSum, record: UsageRecord): void {
  sum.requests++;
  if (record.outcome !== 'ok') sum.failed++;
  sum.promptTokens += record.promptTokens;
  sum.cachedTokens += record.cachedTokens;
  sum.generatedTokens += record.generatedTokens;
  sum.milliseconds += record.milliseconds;
  sum.lastTime = Math.max(sum.lastTime, record.time);
}

function byName(a: UsageGroup, b: UsageGroup): number {
  return a.name < b.name ? -1 : 1;
}

function byTokens(a: UsageGroup, b: UsageGroup): number {
  const tokensOf = ({ promptTokens, generatedTokens }: UsageGroup): number => promptTokens + generatedTokens;
  return tokensOf(b) - tokensOf(a) || byName(a, b);
}
