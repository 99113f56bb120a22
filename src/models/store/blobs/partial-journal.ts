// What is there of a download, beside its data file.
//
//   first line   {"version": 1, "size": …, "boot": …, "synced": [[start, end] …], "written": [[start, end] …]}
//   other lines  start end
//
// `synced` was flushed to the disk before the line was written, and holds whatever happens. `written`, and the lines that
// are added behind, hold as long as the machine has not been started anew. The first line is replaced as a whole; a line
// that was being added when the process ended has no line break, and does not count.

import { type FileHandle, lstat, open, readFile, rm, writeFile } from 'node:fs/promises';
import { addRange, type ByteRange, type ByteRanges } from '../../../base/byte-ranges.ts';
import { writeDurably } from '../files/durable-file.ts';
import { orMissing } from '../files/or-missing.ts';

export interface PartialJournal {
  /** Nothing is there, and so there is nothing to lose: not flushed. */
  begin(): Promise<void>;
  /** What is there. */
  append(ranges: ByteRanges): Promise<void>;
  /** Replaces everything; `synced` must have been flushed. */
  replace(state: { readonly synced: ByteRanges; readonly written: ByteRanges }): Promise<void>;
  close(): Promise<void>;
}

export interface JournalKey {
  readonly size: number;
  readonly boot: string | undefined;
}

// A download of terabytes adds some hundred thousand lines between two replacements at the very most.
const maxJournal = 32 * 2 ** 20;

/** Empty where there is none, or one of another size. */
export async function readJournal(path: string, key: JournalKey): Promise<ByteRanges> {
  const info = await orMissing(lstat(path));
  if (!info?.isFile() || info.size > maxJournal) return [];
  const text = (await orMissing(readFile(path, 'utf8'))) ?? '';
  return parseJournal(text, key);
}

export function parseJournal(text: string, { size, boot }: JournalKey): ByteRanges {
  const [first = '', ...lines] = text.split('\n').slice(0, -1);
  const header = parseHeader(first);
  if (header?.size !== size) return [];
  const sameRun = boot !== undefined && header.boot === boot;
  const counted = sameRun
    ? [...pairs(header.synced), ...pairs(header.written), ...lines.map(parseLine)]
    : pairs(header.synced);
  return counted.filter((range) => isWithin(range, size)).reduce(addRange, [] as ByteRanges);
}

interface Header {
  readonly size?: unknown;
  readonly boot?: unknown;
  readonly synced?: unknown;
  readonly written?: unknown;
}

function parseHeader(line: string): Header | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isHeader = typeof value === 'object' && value !== null && (value as { version?: unknown }).version === 1;
    return isHeader ? (value as Header) : undefined;
  } catch {
    return undefined;
  }
}

function pairs(value: unknown): ByteRange[] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: unknown) => (Array.isArray(pair) ? toRange(pair[0], pair[1]) : nothing));
}

function parseLine(line: string): ByteRange {
  const [, start, end] = /^(\d+) (\d+)$/.exec(line) ?? [];
  return start === undefined ? nothing : toRange(Number(start), Number(end));
}

const nothing: ByteRange = { start: 0, end: 0 };

function toRange(start: unknown, end: unknown): ByteRange {
  return Number.isSafeInteger(start) && Number.isSafeInteger(end)
    ? { start: start as number, end: end as number }
    : nothing;
}

function isWithin({ start, end }: ByteRange, size: number): boolean {
  return start >= 0 && start < end && end <= size;
}

export function createJournal(path: string, { size, boot }: JournalKey): PartialJournal {
  let file: FileHandle | undefined;
  // Half a line and the next one would read as a range that nobody wrote.
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
    async begin() {
      // Not through a link that somebody has put there.
      await rm(path, { force: true });
      await writeFile(path, headerOf([], []), { flag: 'wx' });
    },
    async append(ranges) {
      if (ranges.length === 0 || torn) return;
      const lines = Buffer.from(ranges.map(({ start, end }) => `${start} ${end}\n`).join(''));
      torn = true;
      file ??= await open(path, 'a');
      torn = (await file.write(lines)).bytesWritten !== lines.length;
    },
    async replace({ synced, written }) {
      await close();
      await writeDurably(path, headerOf(synced, written));
      torn = false;
    },
    close,
  };
}
