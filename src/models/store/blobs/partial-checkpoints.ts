// Updates the journal of a download: written ranges shortly after the write, which matters if the process is killed,
// and flushed ranges from time to time, which matters after a power loss.

import type { FileHandle } from 'node:fs/promises';
import { addRange, type ByteRange, type ByteRanges } from '../../../base/files/byte-ranges.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { PartialJournal } from './partial-journal.ts';

interface CheckpointOptions {
  readonly file: FileHandle;
  readonly journal: PartialJournal;
  readonly clock: Clock;
  /** All written ranges, flushed or not. */
  readonly written: () => ByteRanges;
  /** Without a boot ID a reboot cannot be detected, and only flushed ranges count after a restart. */
  readonly hasBootId: boolean;
}

const appendIntervalMs = 10;
const syncIntervalMs = 2_000;
const maxUnsyncedBytes = 64 * 2 ** 20;
const maxUnsyncedBytesWithoutBootId = 4 * 2 ** 20;

export function createCheckpoints({ file, journal, clock, written, hasBootId }: CheckpointOptions) {
  const maxUnsynced = hasBootId ? maxUnsyncedBytes : maxUnsyncedBytesWithoutBootId;
  let unsaved: ByteRanges = [];
  let unsynced = 0;
  let lastSync = clock.monotonic();
  let lastAppend = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  let stopped = false;
  let syncing: Promise<void> | undefined;
  // Journal operations run one at a time.
  let lastOperation: Promise<unknown> = Promise.resolve();
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const result = lastOperation.then(work);
    lastOperation = result.catch(() => {});
    return result;
  };

  const append = (): Promise<void> =>
    enqueue(() => {
      const added = unsaved;
      unsaved = [];
      return journal.append(added);
    });
  const sync = async (): Promise<void> => {
    const synced = written();
    unsynced = 0;
    lastSync = clock.monotonic();
    // Written ranges are still appended during the flush.
    await file.datasync();
    await enqueue(() => {
      unsaved = [];
      return journal.replace({ synced, written: written() });
    });
  };
  const save = (): void => {
    timer = undefined;
    if (stopped) return;
    lastAppend = clock.monotonic();
    // If the journal cannot be written, the next write of data fails too and reports the error.
    append().catch(() => {});
    const sinceSync = (clock.monotonic() - lastSync) / nanosecondsPerMillisecond;
    if (syncing !== undefined || (unsynced < maxUnsynced && sinceSync < syncIntervalMs)) return;
    syncing = sync()
      .catch(() => {})
      .finally(() => {
        syncing = undefined;
      });
  };

  return {
    addWritten(range: ByteRange): void {
      unsaved = addRange(unsaved, range);
      unsynced += range.end - range.start;
      const sinceAppend = (clock.monotonic() - lastAppend) / nanosecondsPerMillisecond;
      timer ??= clock.after(Math.max(0, appendIntervalMs - sinceAppend), save);
    },
    /** Flushes the file and records that in the journal. */
    async sync(): Promise<void> {
      await syncing;
      await sync();
    },
    /** Resolves when no operation is in progress. */
    async stop(): Promise<void> {
      stopped = true;
      timer?.cancel();
      await syncing;
      await lastOperation;
      await journal.close();
    },
  };
}
