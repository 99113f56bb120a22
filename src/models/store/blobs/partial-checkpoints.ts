// When the journal of a download hears what: of written bytes a moment after they were written, which is what counts
// after a kill; and of flushed ones from time to time, which is what counts after a loss of power.

import type { FileHandle } from 'node:fs/promises';
import { addRange, type ByteRange, type ByteRanges } from '../../../base/byte-ranges.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { nanosecondsPerMillisecond } from '../../../base/time/duration.ts';
import type { PartialJournal } from './partial-journal.ts';

export interface Checkpoints {
  /** These bytes are written. */
  note(range: ByteRange): void;
  /** Flushes, and says so in the journal. */
  sync(): Promise<void>;
  /** After this nothing is under way any more. */
  stop(): Promise<void>;
}

export interface CheckpointOptions {
  readonly file: FileHandle;
  readonly journal: PartialJournal;
  readonly clock: Clock;
  /** Everything that is written, flushed or not. */
  readonly written: () => ByteRanges;
  /** Whether the journal can tell if the machine was started anew; otherwise only what was flushed counts after a kill. */
  readonly knowsBoot: boolean;
}

// Milliseconds.
const appendEvery = 10;
const syncEvery = 2_000;
const syncBytes = 64 * 2 ** 20;
const syncBytesWithoutBoot = 4 * 2 ** 20;

export function createCheckpoints({ file, journal, clock, written, knowsBoot }: CheckpointOptions): Checkpoints {
  const maxUnsynced = knowsBoot ? syncBytes : syncBytesWithoutBoot;
  let unsaved: ByteRanges = [];
  let unsynced = 0;
  let lastSync = clock.monotonic();
  let lastAppend = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  let stopped = false;
  let syncing: Promise<void> | undefined;
  // One word at a time to the journal.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const append = (): Promise<void> =>
    inTurn(() => {
      const added = unsaved;
      unsaved = [];
      return journal.append(added);
    });
  const sync = async (): Promise<void> => {
    const synced = written();
    unsynced = 0;
    lastSync = clock.monotonic();
    // Meanwhile the journal still hears of what is written.
    await file.datasync();
    await inTurn(() => {
      unsaved = [];
      return journal.replace({ synced, written: written() });
    });
  };
  const save = (): void => {
    timer = undefined;
    if (stopped) return;
    lastAppend = clock.monotonic();
    // A disk that takes no journal will refuse the next bytes too, and then somebody is told.
    append().catch(() => {});
    const waited = (clock.monotonic() - lastSync) / nanosecondsPerMillisecond;
    if (syncing !== undefined || (unsynced < maxUnsynced && waited < syncEvery)) return;
    syncing = sync()
      .catch(() => {})
      .finally(() => {
        syncing = undefined;
      });
  };

  return {
    note(range) {
      unsaved = addRange(unsaved, range);
      unsynced += range.end - range.start;
      const since = (clock.monotonic() - lastAppend) / nanosecondsPerMillisecond;
      timer ??= clock.after(Math.max(0, appendEvery - since), save);
    },
    async sync() {
      await syncing;
      await sync();
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      await syncing;
      await turn;
      await journal.close();
    },
  };
}
