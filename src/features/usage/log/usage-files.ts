// The usage log in files. A file only ever grows at its end, so a crash can damage only its last line.

import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../base/files/make-folder.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { readUsage } from './read-usage.ts';
import type { UsageHome } from './usage.ts';
import { dayOf, fileLimits, formatRecord, listUsageFiles, planAppend, planUsageRemovals } from './usage-record.ts';

interface UsageFilesOptions {
  readonly folder: string;
  /** The limit for all files together. */
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'now'>;
}

export function createUsageFiles({ folder, maxBytes, clock }: UsageFilesOptions): UsageHome {
  const maxFileBytes = Math.min(fileLimits.bytes, Math.floor(maxBytes * fileLimits.share));
  let file: OpenFile | undefined;

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

  return {
    where: folder,
    keepsRecords: false,
    async open() {
      await currentFile();
    },
    async append(records) {
      const bytes = Buffer.from(records.map(({ record }) => formatRecord(record)).join(''));
      try {
        const opened = await currentFile();
        await opened.handle.appendFile(bytes);
        opened.bytes += bytes.length;
      } catch (error) {
        await closeFile();
        throw error;
      }
    },
    read: (since, signal) => readUsage({ folder, since, signal }),
    close: closeFile,
  };
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly day: string;
  bytes: number;
}

interface FilePlan extends Pick<UsageFilesOptions, 'folder' | 'maxBytes'> {
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
