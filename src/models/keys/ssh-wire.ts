// The building blocks of everything that SSH writes in binary: a number of four bytes, big end first, and a string,
// which is such a number and that many bytes behind it.

import { HearthError } from '../../base/errors.ts';

export interface SshReader {
  take(length: number): Buffer;
  u32(): number;
  /** A string of at most `longest` bytes. */
  string(longest: number): Buffer;
  rest(): Buffer;
}

/** Throws `bad_key` where the bytes end too soon or a length is beyond its limit. */
export function createSshReader(bytes: Buffer): SshReader {
  let offset = 0;
  const take = (length: number): Buffer => {
    if (length > bytes.length - offset) throw new HearthError('bad_key', 'the key is cut short');
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const u32 = (): number => take(4).readUInt32BE();
  return {
    take,
    u32,
    string(longest) {
      const length = u32();
      if (length > longest) throw new HearthError('bad_key', 'a part of the key is longer than it can be');
      return take(length);
    },
    rest: () => take(bytes.length - offset),
  };
}

export function sshU32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function sshString(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as Uint8Array);
  return Buffer.concat([sshU32(bytes.length), bytes]);
}
