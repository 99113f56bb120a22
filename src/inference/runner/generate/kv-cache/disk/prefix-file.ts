// The file of a prefix. Two checksums, because the index of a folder reads only the first half of each file.
//
//   file   = "HEARTHKV" version:u32 headBytes:u32 head tokens checksum:u32 { part } { state } checksum:u32
//   head   = JSON, see PrefixHead
//   tokens = i32 …
//
// All values are little-endian. The first checksum is of everything before it, the second of the parts and states. Files
// may be damaged, and their sizes are compared with the size of the file before anything is allocated.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { parseJson } from '../../../../../base/json-values.ts';

interface PrefixHead {
  /** Identifies everything that determines the snapshot besides the tokens. */
  readonly key: string;
  readonly partition: string;
  readonly tokens: number;
  /** Bytes of each part of the snapshot. */
  readonly parts: readonly number[];
  readonly marks: readonly { readonly length: number; readonly bytes: number }[];
}

/** The first half of a file. */
export interface IndexedPrefix {
  readonly head: PrefixHead;
  readonly tokens: Int32Array;
  /** Where the second half begins. */
  readonly bodyOffset: number;
}

const magic = Buffer.from('HEARTHKV', 'latin1');
const version = 1;
const fixedBytes = 16;
const checksumBytes = 4;
const maxHead = 64 * 1024;
const maxTokens = 16 * 2 ** 20;
const maxMarks = 64;
// Bytes per write, so that other work of the process comes in between.
const pieceBytes = 4 * 2 ** 20;

export interface PrefixContent {
  readonly head: PrefixHead;
  readonly tokens: Int32Array;
  /** The parts, then the states of the marks. */
  readonly body: readonly Buffer[];
}

/** Bytes of the parts and states. */
export function bodyBytes({ parts, marks }: PrefixHead): number {
  return [...parts, ...marks.map(({ bytes }) => bytes)].reduce((sum, bytes) => sum + bytes, 0);
}

/** The file is readable by its owner alone. It is not flushed: a file that is incomplete after a crash is recognized. */
export async function writePrefixFile(path: string, content: PrefixContent): Promise<IndexedPrefix> {
  const { head, tokens, body } = content;
  const index = encodeIndex(head, tokens);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(index);
    let checksum = 0;
    for (const part of body) {
      for (let start = 0; start < part.length; start += pieceBytes) {
        const piece = part.subarray(start, start + pieceBytes);
        checksum = crc32(piece, checksum);
        await file.writeFile(piece);
      }
    }
    await file.writeFile(toChecksum(checksum));
    return { head, tokens, bodyOffset: index.length };
  } finally {
    await file.close();
  }
}

function encodeIndex(head: PrefixHead, tokens: Int32Array): Buffer {
  const json = Buffer.from(JSON.stringify(head), 'utf8');
  const fixed = Buffer.alloc(fixedBytes);
  magic.copy(fixed);
  fixed.writeUInt32LE(version, 8);
  fixed.writeUInt32LE(json.length, 12);
  const index = Buffer.concat([fixed, json, Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength)]);
  return Buffer.concat([index, toChecksum(crc32(index))]);
}

function toChecksum(value: number): Buffer {
  const bytes = Buffer.alloc(checksumBytes);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}

/** Undefined if the file is not a complete file of this version. Throws if it cannot be read. */
export function readIndex(path: string): IndexedPrefix | undefined {
  return withFile(path, (file, size) => {
    const fixed = readAt(file, 0, Math.min(size, fixedBytes));
    if (fixed.length < fixedBytes || !fixed.subarray(0, 8).equals(magic) || fixed.readUInt32LE(8) !== version)
      return undefined;
    const jsonBytes = fixed.readUInt32LE(12);
    if (jsonBytes > Math.min(maxHead, size)) return undefined;
    const head = parseHead(readAt(file, fixedBytes, jsonBytes).toString('utf8'));
    if (head === undefined) return undefined;
    const tokensEnd = fixedBytes + jsonBytes + 4 * head.tokens;
    const bodyOffset = tokensEnd + checksumBytes;
    if (bodyOffset + bodyBytes(head) + checksumBytes !== size) return undefined;
    const index = readAt(file, 0, bodyOffset);
    if (index.readUInt32LE(tokensEnd) !== crc32(index.subarray(0, tokensEnd))) return undefined;
    const tokens = new Int32Array(head.tokens);
    index.copy(Buffer.from(tokens.buffer), 0, fixedBytes + jsonBytes, tokensEnd);
    return { head, tokens, bodyOffset };
  });
}

/** Fills the buffers with the parts and states, in their order. False if the file is damaged. */
export function readBody(path: string, { bodyOffset }: IndexedPrefix, body: readonly Buffer[]): boolean {
  return withFile(path, (file) => {
    let offset = bodyOffset;
    let checksum = 0;
    for (const part of body) {
      if (readSync(file, part, 0, part.length, offset) !== part.length) return false;
      checksum = crc32(part, checksum);
      offset += part.length;
    }
    const stored = readAt(file, offset, checksumBytes);
    return stored.length === checksumBytes && stored.readUInt32LE(0) === checksum;
  });
}

function withFile<Result>(path: string, work: (file: number, size: number) => Result): Result {
  const file = openSync(path, 'r');
  try {
    return work(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function parseHead(json: string): PrefixHead | undefined {
  const value = parseJson(json);
  return isHead(value) ? value : undefined;
}

function isHead(value: unknown): value is PrefixHead {
  if (typeof value !== 'object' || value === null) return false;
  const { key, partition, tokens, parts, marks } = value as Record<string, unknown>;
  return (
    typeof key === 'string' &&
    typeof partition === 'string' &&
    isCount(tokens, maxTokens) &&
    Array.isArray(parts) &&
    parts.length <= 2 &&
    parts.every((bytes) => isCount(bytes)) &&
    Array.isArray(marks) &&
    marks.length <= maxMarks &&
    marks.every((mark: unknown) => isMark(mark, tokens as number))
  );
}

function isMark(value: unknown, tokens: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { length, bytes } = value as Record<string, unknown>;
  return isCount(length, tokens) && isCount(bytes);
}

function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= max;
}
