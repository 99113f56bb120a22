// The journal of an incomplete download: which ranges its data file has.
//
//   first line   {"version": 1, "size": …, "boot": …, "synced": [[start, end] …], "written": [[start, end] …]}
//   other lines  start end
//
// `synced` ranges were flushed to disk before the line was written, and are always valid. `written` ranges and the
// appended lines are valid until the next boot. The first line is replaced atomically. An incomplete last line has no
// line break and is ignored.

import { type FileHandle, lstat, open, readFile, rm, writeFile } from 'node:fs/promises';
import { addRange, type ByteRange, type ByteRanges } from '../../../base/files/byte-ranges.ts';
import { undefinedIfMissing } from '../../../base/files/undefined-if-missing.ts';
import { asObject, parseJson } from '../../../base/json-values.ts';
import { writeDurably } from '../files/durable-file.ts';

export interface JournalKey {
  readonly size: number;
  readonly boot: string | undefined;
}

// Even a download of terabytes appends at most some hundred thousand lines between two replacements.
const maxJournal = 32 * 2 ** 20;

/** Empty if there is no journal, or one for a file of another size. */
export async function readJournal(path: string, key: JournalKey): Promise<ByteRanges> {
  const info = await undefinedIfMissing(lstat(path));
  if (!info?.isFile() || info.size > maxJournal) return [];
  const text = (await undefinedIfMissing(readFile(path, 'utf8'))) ?? '';
  return parseJournal(text, key);
}

export function parseJournal(text: string, { size, boot }: JournalKey): ByteRanges {
  const [first = '', ...lines] = text.split('\n').slice(0, -1);
  const header = parseHeader(first);
  if (header?.size !== size) return [];
  const isSameBoot = boot !== undefined && header.boot === boot;
  const valid = isSameBoot
    ? [...parsePairs(header.synced), ...parsePairs(header.written), ...lines.map(parseLine)]
    : parsePairs(header.synced);
  return valid.filter((range) => isWithin(range, size)).reduce(addRange, [] as ByteRanges);
}

interface Header {
  readonly size?: unknown;
  readonly boot?: unknown;
  readonly synced?: unknown;
  readonly written?: unknown;
}

function parseHeader(line: string): Header | undefined {
  const value = asObject(parseJson(line));
  return value['version'] === 1 ? value : undefined;
}

function parsePairs(value: unknown): ByteRange[] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: unknown) => (Array.isArray(pair) ? toRange(pair[0], pair[1]) : emptyRange));
}

function parseLine(line: string): ByteRange {
  const [, start, end] = /^(\d+) (\d+)$/.exec(line) ?? [];
  return start === undefined ? emptyRange : toRange(Number(start), Number(end));
}

const emptyRange: ByteRange = { start: 0, end: 0 };

function toRange(start: unknown, end: unknown): ByteRange {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end)
    ? { start: start as number, end: end as number }
    : emptyRange;
}

function isWithin({ start, end }: ByteRange, size: number): boolean {
  return start >= 0 && start < end && end <= size;
}

export function createJournal(path: string, { size, boot }: JournalKey) {
  let file: FileHandle | undefined;
  // After a torn line, the next one could be read as a range that was never written.
  let torn = false;

  const close = async (): Promise<void> => {
    const closing = file;
    file = undefined;
    await closing?.close();
  };

  const headerOf = (synced: ByteRanges, written: ByteRanges): Buffer => {
    const list = (ranges: ByteRanges) => ranges.map(({ start, end }) => [start, end]);
    const header = { version: 1, size, boot: boot ?? null, synced: list(synced), written: list(written) };
    return Buffer.from(`${JSON.stringify(header)}\n`);
  };

  return {
    /** Creates an empty journal. Not flushed, because there is nothing to lose. */
    async begin(): Promise<void> {
      // Never follow a symbolic link.
      await rm(path, { force: true });
      await writeFile(path, headerOf([], []), { flag: 'wx' });
    },
    async append(ranges: ByteRanges): Promise<void> {
      if (ranges.length === 0 || torn) return;
      const lines = Buffer.from(ranges.map(({ start, end }) => `${start} ${end}\n`).join(''));
      torn = true;
      file ??= await open(path, 'a');
      torn = (await file.write(lines)).bytesWritten !== lines.length;
    },
    /** Replaces the journal; `synced` must have been flushed. */
    async replace({ synced, written }: { readonly synced: ByteRanges; readonly written: ByteRanges }): Promise<void> {
      await close();
      await writeDurably(path, headerOf(synced, written));
      torn = false;
    },
    close,
  };
}

export type PartialJournal = ReturnType<typeof createJournal>;
