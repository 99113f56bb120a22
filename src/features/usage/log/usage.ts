// The usage of the server: what each request has used, and its sums.

import { HearthError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { runOutsideRequests } from '../../../base/request/request-scope.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { type SumOptions, sumUsage, type UsageSummary } from './sum-usage.ts';
import type { UsageRecord } from './usage-record.ts';

export interface UsageQuery extends SumOptions {
  /** The time in milliseconds since the epoch; -Infinity: everything that is recorded. */
  readonly since: number;
}

interface NumberedRecord {
  /** From 1, one more for each record of this server. */
  readonly number: number;
  readonly record: UsageRecord;
}

/** Where the log is: in files of this machine, or in the state that several servers share. */
export interface UsageHome {
  /** For the log of the server. */
  readonly where: string;
  /** Whether records that could not be stored are stored later; otherwise they are lost. */
  readonly keepsRecords: boolean;
  /** Prepares for the first record. */
  open(): Promise<void>;
  append(records: readonly NumberedRecord[]): Promise<void>;
  read(since: number, signal: AbortSignal): AsyncGenerator<readonly UsageRecord[]>;
  close(): Promise<void>;
}

interface UsageOptions {
  readonly home: UsageHome;
  /** False: nothing is recorded. What was recorded before can still be read. */
  readonly isOn: boolean;
  readonly clock: Pick<Clock, 'after'>;
  readonly logger: Logger;
}

// Reading the log takes processor time, so queries run one after the other.
const maxQueries = 16;

export function createUsage({ isOn, ...options }: UsageOptions) {
  const writer = isOn ? createUsageWriter(options) : undefined;
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
        return sumUsage(options.home.read(since, signal), grouping);
      });
      last = summary.catch(() => {}).finally(() => queries--);
      return summary;
    },
    close: async (): Promise<void> => writer?.close(),
  };
}

export type Usage = ReturnType<typeof createUsage>;

// Writes the usage log. A record is written as soon as the write before it has ended, in the background: nobody waits for
// it, and a server that is killed loses only the records that were about to be written.

// Records that wait for a disk or a database that does not respond.
const maxWaiting = 10_000;
const maxAtOnce = 1000;
const retryMs = 1000;

export function createUsageWriter({ home, clock, logger }: Omit<UsageOptions, 'isOn'>) {
  let waiting: NumberedRecord[] = [];
  let writing: Promise<void> | undefined;
  let timer: Timer | undefined;
  let number = 0;
  let lost = 0;
  let isFailing = false;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const records = waiting.splice(0, maxAtOnce);
      try {
        await home.append(records);
        noteSuccess();
      } catch (error) {
        noteFailure(home.keepsRecords ? 0 : records.length, messageOf(error));
        if (home.keepsRecords) {
          waiting = [...records, ...waiting];
          timer = clock.after(retryMs, begin);
          break;
        }
      }
    }
    writing = undefined;
  };
  const begin = (): void => {
    timer?.cancel();
    timer = undefined;
    writing ??= runOutsideRequests(write);
  };

  const noteFailure = (records: number, reason: string): void => {
    if (!isFailing) logger.warn('usage is not recorded', { folder: home.where, reason });
    isFailing = true;
    lost += records;
  };
  const noteSuccess = (): void => {
    if (isFailing) logger.info('usage is recorded again', { folder: home.where, lost });
    isFailing = false;
    lost = 0;
  };

  return {
    /** Opens the home, so that the first record does not have to wait for that. */
    start(): void {
      const open = async (): Promise<void> => {
        // The first record says if it cannot be opened.
        await home.open().catch(() => {});
        await write();
      };
      writing ??= runOutsideRequests(open);
    },
    /** Never throws. What cannot be recorded is lost, which is logged once. */
    record(record: UsageRecord): void {
      if (waiting.length >= maxWaiting) {
        noteFailure(1, 'the disk does not respond');
        return;
      }
      number++;
      waiting.push({ number, record });
      if (timer === undefined) begin();
    },
    /** Resolves when all records so far are written or lost, or wait for another attempt. */
    settled: async (): Promise<void> => writing,
    async close(): Promise<void> {
      await writing;
      // The last attempt.
      if (timer !== undefined) {
        begin();
        await writing;
      }
      timer?.cancel();
      await home.close();
    },
  };
}

export type UsageWriter = ReturnType<typeof createUsageWriter>;
