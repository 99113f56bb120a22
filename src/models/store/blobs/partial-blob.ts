// A blob on its way from somewhere else, in pieces and over several lives of the process.
//
//   sha256-<hex>-download           as long as the blob, with holes
//   sha256-<hex>-download-journal   which bytes are there
//
// Bytes count once they are written; the journal hears of it a moment later, and is made durable from time to time. When
// all are there, the digest decides: the file gets the blob's name, or it is removed.

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { addRange, type ByteRanges, countBytes, prefixLength } from '../../../base/byte-ranges.ts';
import type { Digest } from '../../../base/digest.ts';
import { HearthError, systemCodeOf } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { readBootId } from '../files/boot-id.ts';
import { explainDiskError } from '../files/disk-errors.ts';
import { makeFolder, syncFolder } from '../files/durable-file.ts';
import { orMissing } from '../files/or-missing.ts';
import type { Layout } from '../layout.ts';
import { createFollowingHash } from './following-hash.ts';
import { createCheckpoints } from './partial-checkpoints.ts';
import { createJournal, type JournalKey, readJournal } from './partial-journal.ts';

export interface PartialBlob {
  readonly size: number;
  /** What is there. */
  ranges(): ByteRanges;
  /** When it resolves, the bytes are there. Those that are there are not written again: they may have been hashed. */
  write(chunks: readonly Uint8Array[], position: number): Promise<void>;
  /**
   * Gives the file the blob's name. All bytes must be there; if they are not the right ones, everything is removed and
   * `digest_mismatch` is thrown.
   */
  complete(): Promise<void>;
  /** Removes what is there. */
  discard(): Promise<void>;
  /** What is there stays for another time. May be called at the end of everything. */
  close(): Promise<void>;
}

export interface PartialBlobOptions {
  readonly layout: Layout;
  readonly digest: Digest;
  readonly size: number;
  readonly clock: Clock;
}

/** What is there of a download. */
export async function readPartial(layout: Layout, digest: Digest, key: JournalKey): Promise<ByteRanges> {
  const info = await orMissing(lstat(layout.partial(digest)));
  return info?.isFile() && info.size === key.size ? readJournal(layout.journal(digest), key) : [];
}

/** Nobody else may have it open. */
export async function openPartial({ layout, digest, size, clock }: PartialBlobOptions): Promise<PartialBlob> {
  const path = layout.partial(digest);
  const key: JournalKey = { size, boot: readBootId() };
  await makeFolder(layout.blobs);
  let ranges = await readPartial(layout, digest, key);
  const file = await openDataFile(path, size, ranges.length > 0);
  const journal = createJournal(layout.journal(digest), key);
  try {
    // What counts until the first checkpoint, even if the power goes.
    if (ranges.length > 0) await file.datasync();
    await (ranges.length > 0 ? journal.replace({ synced: ranges, written: ranges }) : journal.begin());
  } catch (error) {
    await file.close();
    throw error;
  }
  const written = (): ByteRanges => ranges;
  const checkpoints = createCheckpoints({ file, journal, clock, written, knowsBoot: key.boot !== undefined });
  const hash = createFollowingHash(path, size);
  hash.advance(prefixLength(ranges));
  let isOpen = true;

  const shut = async (): Promise<void> => {
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
    ranges: written,
    async write(chunks, position) {
      const last = chunks.reduce((sum, { byteLength }) => sum + byteLength, position);
      if (last > size || ranges.some((range) => range.start < last && position < range.end))
        throw new HearthError('internal', `bytes ${position} to ${last} of ${digest} are not missing`);
      const end = await writeAll(file, chunks, position).catch((error: unknown) => {
        throw explainWrite(error, layout.blobs);
      });
      ranges = addRange(ranges, { start: position, end });
      checkpoints.note({ start: position, end });
      hash.advance(prefixLength(ranges));
    },
    async complete() {
      if (countBytes(ranges) !== size) throw new HearthError('internal', `${digest} is not complete`);
      // Most of the flushing is done while the last bytes are hashed.
      const [found] = await Promise.all([hash.finish(), file.datasync()]);
      if (found === digest) await file.sync();
      await shut();
      if (found !== digest) {
        await remove();
        const message = `digest mismatch, file must be downloaded again: want ${digest}, got ${found}`;
        throw new HearthError('digest_mismatch', message);
      }
      await rename(path, layout.blob(digest));
      await syncFolder(layout.blobs);
      await rm(layout.journal(digest), { force: true });
    },
    async discard() {
      if (!isOpen) return;
      await shut();
      await remove();
    },
    async close() {
      if (!isOpen) return;
      // What cannot be flushed now is fetched again, if the machine is started anew.
      await checkpoints.sync().catch(() => {});
      await shut();
    },
  };
}

/** Not through a link, wherever it leads. */
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

/** Returns the place behind the last byte. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<number> {
  const end = chunks.reduce((sum, { byteLength }) => sum + byteLength, position);
  const { bytesWritten } = await file.writev(chunks as Uint8Array[], position);
  let at = position + bytesWritten;
  if (at === end) return end;
  // A system may take less than it is given; what is left goes in one piece.
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let offset = 0; at < end; at = position + bytesWritten + offset) {
    offset += (await file.write(rest, offset, rest.byteLength - offset, at)).bytesWritten;
  }
  return end;
}

function explainWrite(error: unknown, folder: string): unknown {
  if (systemCodeOf(error) !== 'ENOSPC') return explainDiskError(error, folder);
  const message = `the disk is full: there is no space left in ${folder}. What was downloaded is kept; make room and pull again.`;
  return new HearthError('disk_full', message, { cause: error });
}
