// An incomplete download, written in parts and resumable after a restart.
//
//   sha256-<hex>-download           the size of the blob, with holes
//   sha256-<hex>-download-journal   the ranges that have been written
//
// The journal records written ranges shortly after the write and is flushed from time to time. When all bytes are
// written, the digest is checked: the file is renamed to the blob, or removed.

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import type { Digest } from '../../../base/digest.ts';
import { HearthError, systemCodeOf } from '../../../base/errors.ts';
import { addRange, type ByteRanges, countBytes, prefixLength } from '../../../base/files/byte-ranges.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import { readBootId } from '../../../base/process/process-identity.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { explainDiskError } from '../files/disk-errors.ts';
import { makeDurableFolder, syncFolder } from '../files/durable-file.ts';
import type { StoreLayout } from '../files/layout.ts';
import { createIncrementalFileHash } from './incremental-file-hash.ts';
import { createCheckpoints } from './partial-checkpoints.ts';
import { createJournal, type JournalKey, readJournal } from './partial-journal.ts';

interface PartialBlobOptions {
  readonly layout: StoreLayout;
  readonly digest: Digest;
  readonly size: number;
  readonly clock: Clock;
}

/** The ranges of a download that are on disk. */
export async function readPartial(layout: StoreLayout, digest: Digest, key: JournalKey): Promise<ByteRanges> {
  const info = await undefinedIfMissing(lstat(layout.partial(digest)));
  return info?.isFile() && info.size === key.size ? readJournal(layout.journal(digest), key) : [];
}

/** A download must not be open more than once. */
export async function openPartial({ layout, digest, size, clock }: PartialBlobOptions) {
  const path = layout.partial(digest);
  const key: JournalKey = { size, boot: readBootId() };
  await makeDurableFolder(layout.blobs);
  let ranges = await readPartial(layout, digest, key);
  const file = await openDataFile(path, size, ranges.length > 0);
  const journal = createJournal(layout.journal(digest), key);
  try {
    // Until the first checkpoint, this is what survives a power loss.
    if (ranges.length > 0) await file.datasync();
    await (ranges.length > 0 ? journal.replace({ synced: ranges, written: ranges }) : journal.begin());
  } catch (error) {
    await file.close();
    throw error;
  }
  const written = (): ByteRanges => ranges;
  const checkpoints = createCheckpoints({ file, journal, clock, written, hasBootId: key.boot !== undefined });
  const hash = createIncrementalFileHash(path, size);
  hash.advance(prefixLength(ranges));
  let isOpen = true;

  const closeAll = async (): Promise<void> => {
    isOpen = false;
    await hash.stop();
    await checkpoints.stop();
    await file.close();
  };
  const remove = async (): Promise<void> => {
    await rm(path, { force: true });
    await rm(layout.journal(digest), { force: true });
  };

  return {
    size,
    /** The ranges written so far. */
    ranges: written,
    /** Written ranges must not be written again: they may have been hashed. */
    async write(chunks: readonly Uint8Array[], position: number): Promise<void> {
      const last = chunks.reduce((sum, { byteLength }) => sum + byteLength, position);
      if (last > size || ranges.some((range) => range.start < last && position < range.end))
        throw new HearthError('internal', `bytes ${position} to ${last} of ${digest} were written before`);
      const end = await writeAll(file, chunks, position).catch((error: unknown) => {
        throw explainWrite(error, layout.blobs);
      });
      ranges = addRange(ranges, { start: position, end });
      checkpoints.addWritten({ start: position, end });
      hash.advance(prefixLength(ranges));
    },
    /**
     * Renames the file to the blob. All bytes must be written. If the digest does not match, the files are removed and
     * `digest_mismatch` is thrown.
     */
    async complete(): Promise<void> {
      if (countBytes(ranges) !== size) throw new HearthError('internal', `${digest} is not complete`);
      // Flushes most of the data while the last bytes are hashed.
      const [found] = await Promise.all([hash.finish(), file.datasync()]);
      if (found === digest) await file.sync();
      await closeAll();
      if (found !== digest) {
        await remove();
        const message = `digest mismatch, file must be downloaded again: want ${digest}, got ${found}`;
        throw new HearthError('digest_mismatch', message);
      }
      await rename(path, layout.blob(digest));
      await syncFolder(layout.blobs);
      await rm(layout.journal(digest), { force: true });
    },
    /** Removes the download. */
    async discard(): Promise<void> {
      if (!isOpen) return;
      await closeAll();
      await remove();
    },
    /** Keeps the download for a later resume. No effect after `complete` or `discard`. */
    async close(): Promise<void> {
      if (!isOpen) return;
      // Data that cannot be flushed now is downloaded again after a reboot.
      await checkpoints.sync().catch(() => {});
      await closeAll();
    },
  };
}

export type PartialBlob = Awaited<ReturnType<typeof openPartial>>;

/** Does not follow symbolic links. */
async function openDataFile(path: string, size: number, keep: boolean): Promise<FileHandle> {
  if (!keep) await rm(path, { force: true });
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o644);
  try {
    if (!keep) await file.truncate(size);
    return file;
  } catch (error) {
    await file.close();
    throw explainWrite(error, path);
  }
}

/** Returns the offset after the last byte. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<number> {
  const end = chunks.reduce((sum, { byteLength }) => sum + byteLength, position);
  const { bytesWritten } = await file.writev(chunks as Uint8Array[], position);
  let at = position + bytesWritten;
  if (at === end) return end;
  // writev may write less than it is given.
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let offset = 0; at < end; at = position + bytesWritten + offset) {
    offset += (await file.write(rest, offset, rest.byteLength - offset, at)).bytesWritten;
  }
  return end;
}

function explainWrite(error: unknown, folder: string): unknown {
  if (systemCodeOf(error) !== 'ENOSPC') return explainDiskError(error, folder);
  const message = `the disk of the model store is full. The incomplete download is kept; free some space and pull again.`;
  return new HearthError('disk_full', message, { cause: error });
}
