// A strict reader of zip files.
//
//   file       = { local header, name, extra, data } directory [ end64 locator ] end
//   directory  = { entry header (46 bytes), name, extra, comment }
//   end        = "PK\5\6" …, 22 bytes and a comment, at the end of the file
//   end64      = "PK\6\6" …, for values that do not fit into the fields of `end`
//
// Sizes come from the directory. Entries that overlap are refused, so that the expansion is bounded by the ratio limit.

import { setImmediate } from 'node:timers/promises';
import {
  type Archive,
  archiveLimits,
  checkPath,
  createEntryList,
  decodePath,
  entriesPerTurn,
  invalidArchive,
} from './archive.ts';
import { decompress } from './stream-reader.ts';

interface ZipSource {
  readonly size: number;
  /** May return fewer bytes only at the end. */
  read(position: number, length: number): Promise<Buffer>;
}

interface ZipEntry {
  readonly path: string;
  readonly size: number;
  readonly compressedSize: number;
  /** Where the local header starts. */
  readonly offset: number;
  readonly method: number;
  readonly nameBytes: Buffer;
  readonly isFile: boolean;
}

const signatures = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50 };
const endBytes = 22;
const locatorBytes = 20;
const maxComment = 0xffff;
const stored = 0;
const deflated = 8;
const blockSize = 2 ** 20;

export async function readZip(source: ZipSource): Promise<Archive> {
  const { start, length, count } = await findDirectory(source);
  if (length > archiveLimits.zipDirectoryBytes || count > archiveLimits.entries)
    throw invalidArchive('it has too many files');
  const list = createEntryList();
  const all = await parseDirectory(await readFully(source, start, length), count, ({ isFile, path, size }) => {
    if (isFile) list.add({ path, size });
  });
  checkOverlaps(all, start);
  const files = all.filter(({ isFile }) => isFile);
  return {
    entries: list.entries,
    async extract(paths, visit) {
      for (const entry of files) {
        if (paths.has(entry.path)) await visit({ path: entry.path, size: entry.size }, contentOf(source, entry));
      }
    },
  };
}

interface Directory {
  readonly start: number;
  readonly length: number;
  readonly count: number;
}

async function findDirectory(source: ZipSource): Promise<Directory> {
  const length = Math.min(source.size, endBytes + maxComment);
  const tail = await readFully(source, source.size - length, length);
  for (let at = length - endBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== signatures.end || at + endBytes + tail.readUInt16LE(at + 20) !== length) continue;
    const end = source.size - length + at;
    const directory = (await readEnd64(source, end)) ?? {
      count: tail.readUInt16LE(at + 10),
      length: tail.readUInt32LE(at + 12),
      start: tail.readUInt32LE(at + 16),
    };
    if (directory.start + directory.length > end) throw invalidArchive('its directory is incomplete');
    return directory;
  }
  throw invalidArchive('it has no directory at its end, so it is incomplete or not a zip file');
}

/** Undefined if the file has no zip64 fields. */
async function readEnd64(source: ZipSource, end: number): Promise<Directory | undefined> {
  if (end < locatorBytes) return undefined;
  const locator = await readFully(source, end - locatorBytes, locatorBytes);
  if (locator.readUInt32LE(0) !== signatures.locator) return undefined;
  const position = toNumber(locator.readBigUInt64LE(8));
  if (position + 56 > end) throw invalidArchive('its directory is incomplete');
  const record = await readFully(source, position, 56);
  if (record.readUInt32LE(0) !== signatures.end64) throw invalidArchive('its directory is not readable');
  const [count, length, start] = [32, 40, 48].map((at) => toNumber(record.readBigUInt64LE(at)));
  return { count: count as number, length: length as number, start: start as number };
}

async function parseDirectory(bytes: Buffer, count: number, onEntry: (entry: ZipEntry) => void): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== signatures.entry)
      throw invalidArchive('its directory is not readable');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > bytes.length) throw invalidArchive('its directory is incomplete');
    const entry = parseEntry(bytes.subarray(at, next), nameLength, extraLength);
    entries.push(entry);
    onEntry(entry);
    at = next;
    if ((index + 1) % entriesPerTurn === 0) await setImmediate();
  }
  return entries;
}

function parseEntry(header: Buffer, nameLength: number, extraLength: number): ZipEntry {
  const nameBytes = header.subarray(46, 46 + nameLength);
  const path = decodePath(nameBytes);
  checkPath(path);
  if ((header.readUInt16LE(8) & 1) !== 0) throw invalidArchive('it is encrypted');
  const [size, compressedSize, offset] = readSizes(
    header,
    header.subarray(46 + nameLength, 46 + nameLength + extraLength),
  );
  if (size > compressedSize * archiveLimits.ratio + archiveLimits.slack)
    throw invalidArchive(`${JSON.stringify(path)} expands more than ${archiveLimits.ratio} times`);
  const method = header.readUInt16LE(10);
  return { path, size, compressedSize, offset, method, nameBytes, isFile: isRegular(header, path) };
}

/** Values that do not fit into 32 bits are in an extra field, in this order. */
function readSizes(header: Buffer, extra: Buffer): [size: number, compressedSize: number, offset: number] {
  const values = [24, 20, 42].map((at) => header.readUInt32LE(at)) as [number, number, number];
  let large = findExtra(extra, 1);
  return values.map((value) => {
    if (value !== 0xffffffff) return value;
    if (large === undefined || large.length < 8) throw invalidArchive('its directory is not readable');
    const result = toNumber(large.readBigUInt64LE(0));
    large = large.subarray(8);
    return result;
  }) as [number, number, number];
}

function findExtra(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  }
  return undefined;
}

/** Folders and symbolic links are not files. */
function isRegular(header: Buffer, path: string): boolean {
  if (path.endsWith('/')) return false;
  const madeOnUnix = header.readUInt8(5) === 3;
  const type = (header.readUInt32LE(38) >>> 16) & 0xf000;
  return !madeOnUnix || type === 0 || type === 0x8000;
}

function checkOverlaps(entries: readonly ZipEntry[], directoryStart: number): void {
  let free = 0;
  for (const { offset, compressedSize, nameBytes } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < free) throw invalidArchive('its files overlap');
    free = offset + 30 + nameBytes.length + compressedSize;
  }
  if (free > directoryStart) throw invalidArchive('its files overlap its directory');
}

async function* contentOf(source: ZipSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const { path, method, size, compressedSize } = entry;
  const start = await findData(source, entry);
  if (method !== stored && method !== deflated)
    throw invalidArchive(`${JSON.stringify(path)} has the unknown compression method ${method}`);
  const bytes = readRange(source, start, compressedSize);
  const damage = `${JSON.stringify(path)} is corrupt`;
  let received = 0;
  for await (const chunk of method === stored ? bytes : decompress({ bytes, method: 'deflate', damage })) {
    received += chunk.length;
    if (received > size) break;
    yield chunk;
  }
  if (received !== size) throw invalidArchive(`${JSON.stringify(path)} does not have the size in the directory`);
}

async function findData(source: ZipSource, { offset, nameBytes, path }: ZipEntry): Promise<number> {
  const header = await readFully(source, offset, 30 + nameBytes.length);
  if (header.readUInt32LE(0) !== signatures.local || !header.subarray(30).equals(nameBytes))
    throw invalidArchive(`${JSON.stringify(path)} is not where the directory says`);
  return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function* readRange(source: ZipSource, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += blockSize)
    yield await readFully(source, start + at, Math.min(blockSize, length - at));
}

async function readFully(source: ZipSource, position: number, length: number): Promise<Buffer> {
  if (position + length > source.size) throw invalidArchive('it is incomplete');
  const bytes = await source.read(position, length);
  if (bytes.length !== length) throw invalidArchive('it is incomplete');
  return bytes;
}

function toNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidArchive('a size is too large');
  return Number(value);
}
