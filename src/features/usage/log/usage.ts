// The usage of the server: what each request has used, on disk, and its sums.

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import type { Logger } from '../../../base/logger.ts';
import { runOutsideRequests } from '../../../base/request/request-scope.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { readUsage } from './read-usage.ts';
import { type SumOptions, sumUsage, type UsageSummary } from './sum-usage.ts';
import {
  dayOf,
  fileLimits,
  formatRecord,
  listUsageFiles,
  planAppend,
  planUsageRemovals,
  type UsageRecord,
} from './usage-record.ts';

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

// Writes the usage log. A record is written as soon as the write before it has ended, in the background: nobody waits for
// it, and a server that is killed loses only the records that were about to be written. A file only ever grows at its
// end, so a crash can damage only its last line.
interface UsageWriterOptions {
  readonly folder: string;
  /** The limit for all files together. */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

// Records that wait for a disk that does not respond.
const maxWaiting = 10_000;

export function createUsageWriter({ folder, maxBytes, clock, logger }: UsageWriterOptions) {
  const maxFileBytes = Math.min(fileLimits.bytes, Math.floor(maxBytes * fileLimits.share));
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let file: OpenFile | undefined;
  let lost = 0;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        await append(Buffer.from(lines.join('')));
        noteSuccess();
      } catch (error) {
        await closeFile();
        noteLoss(lines.length, messageOf(error));
      }
    }
    writing = undefined;
  };

  const append = async (bytes: Buffer): Promise<void> => {
    const opened = await currentFile();
    await opened.handle.appendFile(bytes);
    opened.bytes += bytes.length;
  };

  const currentFile = async (): Promise<OpenFile> => {
    const day = dayOf(clock.now());
    if (file?.day !== day || file.bytes >= maxFileBytes) {
      await closeFile();
      file = await openFile({ folder, day, maxBytes, maxFileBytes });
    }
    return file;
  };

  const closeFile = async (): Promise<void> => {
    const closed = file;
    file = undefined;
    await closed?.handle.close().catch(() => {});
  };

  const noteLoss = (records: number, reason: string): void => {
    if (lost === 0) logger.warn('usage is not recorded', { folder, reason });
    lost += records;
  };
  const noteSuccess = (): void => {
    if (lost > 0) logger.info('usage is recorded again', { folder, lost });
    lost = 0;
  };

  return {
    /** Opens the file, so that the first record does not have to wait for that. */
    start(): void {
      const open = async (): Promise<void> => {
        // The first record says if it cannot be opened.
        await currentFile().catch(() => {});
        await write();
      };
      writing ??= runOutsideRequests(open);
    },
    /** Never throws. Without a disk that takes it, the record is lost, which is logged once. */
    record(record: UsageRecord): void {
      if (waiting.length >= maxWaiting) {
        noteLoss(1, 'the disk does not respond');
        return;
      }
      waiting.push(formatRecord(record));
      writing ??= runOutsideRequests(write);
    },
    /** Resolves when all records so far are written or lost. */
    settled: async (): Promise<void> => writing,
    async close(): Promise<void> {
      await writing;
      await closeFile();
    },
  };
}

export type UsageWriter = ReturnType<typeof createUsageWriter>;

interface OpenFile {
  readonly handle: FileHandle;
  readonly day: string;
  bytes: number;
}

interface FilePlan extends Pick<UsageWriterOptions, 'folder' | 'maxBytes'> {
  readonly day: string;
  readonly maxFileBytes: number;
}

async function openFile({ folder, day, maxBytes, maxFileBytes }: FilePlan): Promise<OpenFile> {
  await makeFolder(folder, { mode: 0o700 });
  const files = await listUsageFiles(folder);
  const name = planAppend(files, day, maxFileBytes);
  // The file may grow to its limit.
  const others = files.filter((file) => file.name !== name);
  for (const { name: old } of planUsageRemovals(others, maxBytes - maxFileBytes))
    await unlink(join(folder, old)).catch(() => {});
  const handle = await open(join(folder, name), 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const ending = await endLine(handle, size);
    return { handle, day, bytes: size + ending };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Ends the line that a crash or a full disk left without an end. Returns the number of bytes it wrote. */
async function endLine(handle: FileHandle, size: number): Promise<number> {
  if (size === 0) return 0;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString() === '\n') return 0;
  await handle.appendFile('\n');
  return 1;
}
