// Primitives of SSH's binary encoding: a uint32 in big-endian order, and a string, which is a uint32 length followed by
// that many bytes.

import { HearthError } from '../../base/errors.ts';

/** Throws `bad_key` for truncated data or a length beyond its limit. */
export function createSshReader(bytes: Buffer) {
  let offset = 0;
  const take = (length: number): Buffer => {
    if (length > bytes.length - offset) throw new HearthError('bad_key', 'the key is truncated');
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const u32 = (): number => take(4).readUInt32BE();
  return {
    take,
    u32,
    /** A string of at most `maxLength` bytes. */
    string(maxLength: number): Buffer {
      const length = u32();
      if (length > maxLength) throw new HearthError('bad_key', 'a field of the key is too long');
      return take(length);
    },
    rest: (): Buffer => take(bytes.length - offset),
  };
}

export type SshReader = ReturnType<typeof createSshReader>;

export function sshU32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function sshString(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as Uint8Array);
  return Buffer.concat([sshU32(bytes.length), bytes]);
}
