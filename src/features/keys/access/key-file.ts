// The file with the keys. It is replaced as a whole, so that a reader never sees half of it, and only its owner can read
// it.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HearthError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files/make-folder.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';
import { decodeKeys, encodeKeys, type KeyRecord } from './key-record.ts';

const maxBytes = 16 * 2 ** 20;
const lockRetryMs = 20;
const lockPatienceMs = 5000;
const staleLock = 10_000;

/** Undefined if there is no file. Synchronous: the file is small, and requests must not be answered before it is read. */
export function readKeyFile(path: string): KeyRecord[] | undefined {
  try {
    return decodeKeys(readBounded(path));
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    const message = `the file of keys ${path} cannot be used: ${messageOf(error)}`;
    throw new HearthError('bad_key', message, { cause: error });
  }
}

function readBounded(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw new HearthError('bad_request', `larger than ${maxBytes} bytes`);
    const bytes = Buffer.alloc(size);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, size, 0));
  } finally {
    closeSync(file);
  }
}

export type EditKeys<Result> = (keys: readonly KeyRecord[]) => {
  readonly keys: readonly KeyRecord[];
  readonly result: Result;
};

/** Replaces the keys by the result of `change`, which sees those that are stored. One change at a time, in all processes. */
export async function changeKeyFile<Result>(path: string, clock: Clock, change: EditKeys<Result>): Promise<Result> {
  await makeFolder(dirname(path), { mode: 0o700 });
  const release = await takeLock(`${path}.lock`, clock);
  try {
    const { keys, result } = change(readKeyFile(path) ?? []);
    await replaceFile(path, encodeKeys(keys));
    return result;
  } finally {
    await release();
  }
}

async function takeLock(path: string, clock: Clock): Promise<() => Promise<void>> {
  for (let waited = 0; ; waited += lockRetryMs) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      if (waited >= lockPatienceMs) throw new HearthError('bad_key', `another process is changing the keys: ${path}`);
    }
    // The process that held it was killed.
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && clock.now() - info.mtimeMs > staleLock) await rm(path, { force: true });
    await pause(clock, lockRetryMs, { keepsProcessAlive: true });
  }
}
