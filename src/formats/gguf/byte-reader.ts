// Reads little-endian values one after the other from the beginning of a file. The beginning is all it has: when
// it runs out of bytes that the file does have, it throws MoreNeeded and the caller comes back with more.

import { HearthError } from '../../base/errors.ts';
import { limits } from './limits.ts';

export interface ByteReader {
  readonly offset: number;
  readonly fileSize: number;
  take(length: number): Buffer;
  skip(length: number): void;
  u32(): number;
  /** An unsigned 64-bit value that must fit a JavaScript number. */
  u64(): number;
}

/** How many bytes of the file the reader has to have to get past where it stopped. */
export class MoreNeeded extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes are needed`);
    this.bytes = bytes;
  }
}

export function createByteReader(beginning: Buffer, fileSize: number): ByteReader {
  let offset = 0;

  /** Makes sure of the next `length` bytes and steps over them; returns where they begin. */
  const step = (length: number): number => {
    const start = offset;
    const end = start + length;
    if (end > beginning.length) refuse(start, length);
    offset = end;
    return start;
  };

  const refuse = (start: number, length: number): never => {
    const end = start + length;
    if (end > fileSize)
      throw malformed(`it ends at byte ${fileSize}, but ${length} more bytes are expected at ${start}`);
    if (end > limits.headerBytes) throw malformed(`its header takes more than ${limits.headerBytes} bytes`);
    throw new MoreNeeded(end);
  };

  return {
    get offset() {
      return offset;
    },
    fileSize,
    take(length) {
      const start = step(length);
      return beginning.subarray(start, start + length);
    },
    skip: (length) => void step(length),
    u32: () => beginning.readUInt32LE(step(4)),
    u64() {
      const start = step(8);
      const high = beginning.readUInt32LE(start + 4);
      if (high > highestHalf) throw malformed(`it has a count or size of ${beginning.readBigUInt64LE(start)}`);
      return high * 2 ** 32 + beginning.readUInt32LE(start);
    },
  };
}

// The upper half of the largest integer that a number can hold.
const highestHalf = 2 ** 21 - 1;

const maxShown = 80;

/** A name from the file, at a length that a sentence can bear. */
export function shown(name: string): string {
  return name.length <= maxShown ? name : `${name.slice(0, maxShown)}…`;
}

export function malformed(what: string): HearthError {
  return new HearthError('bad_request', `not a usable GGUF file: ${what}`);
}
