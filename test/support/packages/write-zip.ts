// Writes zip files for tests, including invalid ones.

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly path: string | Buffer;
  readonly content: Buffer | string;
  /** Default: deflated. */
  readonly stored?: boolean;
  /** In place of the true size. */
  readonly declaredSize?: number;
  /** Unix file type and permissions. Default: a regular file. */
  readonly mode?: number;
  /** In place of the name in the local header. */
  readonly localPath?: string;
  /** The data of another file, by its index. */
  readonly sharesDataOf?: number;
  readonly flags?: number;
}

export interface ZipOptions {
  /** Writes sizes and offsets as 64-bit fields. */
  readonly zip64?: boolean;
  readonly comment?: string;
}

interface Placed {
  readonly offset: number;
  readonly compressed: Buffer;
}

export function writeZip(files: readonly ZipFile[], { zip64 = false, comment = '' }: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const placed: Placed[] = [];
  let position = 0;
  const push = (bytes: Buffer): void => {
    parts.push(bytes);
    position += bytes.length;
  };
  for (const file of files) {
    const content = Buffer.from(file.content);
    const shared = file.sharesDataOf === undefined ? undefined : placed[file.sharesDataOf];
    const compressed = shared?.compressed ?? (file.stored ? content : deflateRawSync(content));
    const offset = shared?.offset ?? position;
    placed.push({ offset, compressed });
    if (shared === undefined) {
      push(localHeader(file, content));
      push(compressed);
    }
    directory.push(entryHeader(file, { content, compressedSize: compressed.length, offset, zip64 }));
  }
  const start = position;
  for (const entry of directory) push(entry);
  push(endRecords({ count: files.length, start, length: position - start, end: position, zip64, comment }));
  return Buffer.concat(parts);
}

function localHeader({ path, localPath, stored }: ZipFile, content: Buffer): Buffer {
  const name = Buffer.from(localPath ?? path);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50);
  header.writeUInt16LE(stored ? 0 : 8, 8);
  header.writeUInt32LE(crc32(content), 14);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

interface EntryFields {
  readonly content: Buffer;
  readonly compressedSize: number;
  readonly offset: number;
  readonly zip64: boolean;
}

function entryHeader(file: ZipFile, { content, compressedSize, offset, zip64 }: EntryFields): Buffer {
  const name = Buffer.from(file.path);
  const size = file.declaredSize ?? content.length;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50);
  header.writeUInt8(3, 5);
  header.writeUInt16LE(file.flags ?? 0, 8);
  header.writeUInt16LE(file.stored ? 0 : 8, 10);
  header.writeUInt32LE(crc32(content), 16);
  header.writeUInt32LE(zip64 ? 0xffffffff : compressedSize, 20);
  header.writeUInt32LE(zip64 ? 0xffffffff : size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(zip64 ? 28 : 0, 30);
  header.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38);
  header.writeUInt32LE(zip64 ? 0xffffffff : offset, 42);
  return Buffer.concat([header, name, zip64 ? largeFields(size, compressedSize, offset) : Buffer.alloc(0)]);
}

function largeFields(...values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

interface EndFields {
  readonly count: number;
  readonly start: number;
  readonly length: number;
  readonly end: number;
  readonly zip64: boolean;
  readonly comment: string;
}

function endRecords({ count, start, length, end, zip64, comment }: EndFields): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50);
  record.writeUInt16LE(zip64 ? 0xffff : count, 8);
  record.writeUInt16LE(zip64 ? 0xffff : count, 10);
  record.writeUInt32LE(zip64 ? 0xffffffff : length, 12);
  record.writeUInt32LE(zip64 ? 0xffffffff : start, 16);
  record.writeUInt16LE(Buffer.byteLength(comment), 20);
  const tail = Buffer.concat([record, Buffer.from(comment)]);
  if (!zip64) return tail;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50);
  for (const [at, value] of [
    [24, count],
    [32, count],
    [40, length],
    [48, start],
  ] as const)
    end64.writeBigUInt64LE(BigInt(value), at);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  locator.writeBigUInt64LE(BigInt(end), 8);
  return Buffer.concat([end64, locator, tail]);
}
