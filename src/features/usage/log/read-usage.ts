// Reads the usage log in parts. Other requests run between two parts.

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { requestCanceled } from '../../../base/errors.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import { dayOf, listUsageFiles, maxLineBytes, parseRecord, type UsageRecord } from './usage-record.ts';

interface ReadOptions {
  readonly folder: string;
  /** The time in milliseconds since the epoch. Earlier records are left out. */
  readonly since: number;
  readonly signal: AbortSignal;
}

// Parsing it takes about a millisecond.
const partBytes = 64 * 1024;
const newline = 0x0a;

/** Yields the records of one part after the other, in the order in which they were written. */
export async function* readUsage({ folder, since, signal }: ReadOptions): AsyncGenerator<readonly UsageRecord[]> {
  const firstDay = Number.isFinite(since) ? dayOf(since) : '';
  for (const { name, day } of await listUsageFiles(folder)) {
    if (day < firstDay) continue;
    // The file may have been removed in the meantime.
    const handle = await undefinedIfMissing(open(join(folder, name), 'r'));
    if (handle === undefined) continue;
    try {
      for await (const lines of readLines(handle)) {
        if (signal.aborted) throw requestCanceled();
        yield lines.map(parseRecord).filter((record) => record !== undefined && record.time >= since) as UsageRecord[];
      }
    } finally {
      await handle.close();
    }
  }
}

/** A last line without an end is left out: it is being written, or was never finished. */
async function* readLines(handle: FileHandle): AsyncGenerator<string[]> {
  const buffer = Buffer.alloc(partBytes);
  let rest = Buffer.alloc(0);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, partBytes);
    if (bytesRead === 0) return;
    const part = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    const end = part.lastIndexOf(newline) + 1;
    yield part.toString('utf8', 0, end).split('\n');
    // What is longer than a line is not part of one. The rest of it is not a record either.
    rest = part.subarray(Math.max(end, part.length - maxLineBytes));
  }
}
