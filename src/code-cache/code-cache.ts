// Keeps what V8 has compiled from a program, so that the next start does not compile it again.
//
//   file:  SHA-256 of key and data (32 bytes), data
//
// V8 executes the data without checking that it belongs to the program. So it is read only from a file that nobody else
// can have written, with the digest that the writer computed for this program and this version of Node. Anything else
// counts as absent. The cache saves time and nothing depends on it: it is never an error.

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../base/files/make-folder.ts';

interface CodeCacheOptions {
  readonly path: string;
  /** Identifies the program and the version of V8. */
  readonly key: string;
}

const digestBytes = 32;
/** Far more than the code of the program takes. */
const maxBytes = 64 * 2 ** 20;
const writableByOthers = 0o022;

export function createCodeCache({ path, key }: CodeCacheOptions) {
  const digestOf = (data: Buffer): Buffer => createHash('sha256').update(key).update('\0').update(data).digest();
  return {
    /** Undefined if there is none for this program. */
    read(): Buffer | undefined {
      const file = readOwnFile(path);
      if (file === undefined || file.length <= digestBytes) return undefined;
      const data = file.subarray(digestBytes);
      return file.subarray(0, digestBytes).equals(digestOf(data)) ? data : undefined;
    },
    /** Replaces the cache. `create` is called only if there is a place for its result. Never rejects. */
    async write(create: () => Buffer): Promise<void> {
      const temporary = `${path}-${process.pid}`;
      try {
        await makeFolder(dirname(path), { mode: 0o700 });
        const file = await open(temporary, 'wx', 0o600);
        try {
          const data = create();
          await file.writeFile(digestOf(data));
          await file.writeFile(data);
        } finally {
          await file.close();
        }
        await rename(temporary, path);
      } catch {
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
  };
}

export type CodeCache = ReturnType<typeof createCodeCache>;

/** Undefined if the file is missing, or could have been written by another user. */
function readOwnFile(path: string): Buffer | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { mode, size, uid } = fstatSync(descriptor);
      const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & writableByOthers) === 0);
      return isOwn && size <= maxBytes ? readFileSync(descriptor) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
