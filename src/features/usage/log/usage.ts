// The usage of the server: what each request has used, on disk, and its sums.

import { HearthError } from '../../../base/errors.ts';
import { readUsage } from './read-usage.ts';
import { type SumOptions, sumUsage, type UsageSummary } from './sum-usage.ts';
import type { UsageRecord } from './usage-record.ts';
import { createUsageWriter, type UsageWriterOptions } from './usage-writer.ts';

export interface UsageQuery extends SumOptions {
  /** The time in milliseconds since the epoch; -Infinity: everything that is recorded. */
  readonly since: number;
}

// Reading the log takes processor time, so queries run one after the other.
const maxQueries = 16;

/** With a maximum size of 0, nothing is recorded. What was recorded before can still be read. */
export function createUsage(options: UsageWriterOptions) {
  const { folder, maxBytes } = options;
  const writer = maxBytes === 0 ? undefined : createUsageWriter(options);
  let last: Promise<unknown> = Promise.resolve();
  let queries = 0;

  return {
    /** Prepares the log, so that the first request is recorded as fast as the others. */
    start: (): void => writer?.start(),
    record: (record: UsageRecord): void => writer?.record(record),
    /** Includes all requests that have ended before. */
    async sum({ since, ...grouping }: UsageQuery, signal: AbortSignal): Promise<UsageSummary> {
      if (queries >= maxQueries) throw new HearthError('busy', 'too many queries of the usage are running');
      queries++;
      const summary = last.then(async () => {
        await writer?.settled();
        return sumUsage(readUsage({ folder, since, signal }), grouping);
      });
      last = summary.catch(() => {}).finally(() => queries--);
      return summary;
    },
    close: async (): Promise<void> => writer?.close(),
  };
}

export type Usage = ReturnType<typeof createUsage>;
