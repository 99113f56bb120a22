// Reads little-endian values from the head of a file. If the file has more bytes than the buffer, it throws
// MoreBytesNeeded, and the caller retries with a longer head.

import { HearthError } from '../../base/errors.ts';
import { ggufLimits } from './limits.ts';

/** `bytes`: the length of the head that the reader needs. */
export class MoreBytesNeeded extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes are needed`);
    this.bytes = bytes;
  }
}

export function createByteReader(head: Buffer, fileSize: number) {
  let offset = 0;

  /** Advances by `length` bytes and returns the offset before them. */
  const step = (length: number): number => {
    const start = offset;
    const end = start + length;
    if (end > head.length) refuse(start, length);
    offset = end;
    return start;
  };

  const refuse = (start: number, length: number): never => {
    const end = start + length;
    if (end > fileSize)
      throw malformed(`it ends at byte ${fileSize}, but ${length} more bytes are expected at ${start}`);
    if (end > ggufLimits.headerBytes) throw malformed(`its header is longer than ${ggufLimits.headerBytes} bytes`);
    throw new MoreBytesNeeded(end);
  };

  return {
    get offset(): number {
      return offset;
    },
    fileSize,
    take(length: number): Buffer {
      const start = step(length);
      return head.subarray(start, start + length);
    },
    skip: (length: number): void => void step(length),
    u32: (): number => head.readUInt32LE(step(4)),
    /** An unsigned 64-bit value that must fit a JavaScript number. */
    u64(): number {
      const start = step(8);
      const high = head.readUInt32LE(start + 4);
      if (high > maxHighHalf) throw malformed(`it has a count or size of ${head.readBigUInt64LE(start)}`);
      return high * 2 ** 32 + head.readUInt32LE(start);
    },
  };
}

export type ByteReader = ReturnType<typeof createByteReader>;

// The upper 32 bits of the largest safe integer.
const maxHighHalf = 2 ** 21 - 1;

const maxShown = 80;

/** A name from the file, truncated for error messages. */
export function shown(name: string): string {
  return name.length <= maxShown ? name : `${name.slice(0, maxShown)}…`;
}

export function malformed(what: string): HearthError {
  return new HearthError('bad_request', `not a usable GGUF file: ${what}`);
}
