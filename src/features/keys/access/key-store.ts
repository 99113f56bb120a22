// The keys that are valid now. A change of the file is seen within a second, without a restart. A file that cannot be
// read does not change them: nobody is locked out, and nobody gets in.

import { statSync } from 'node:fs';
import { messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { readKeyFile } from './key-file.ts';
import type { KeyRecord } from './key-record.ts';

export interface KeyStore {
  /** Whether requests need a key. */
  areRequired(): boolean;
  find(id: string): KeyRecord | undefined;
  /** The next use reads the file if it has changed. */
  refresh(): void;
}

interface KeyStoreOptions {
  readonly path: string;
  /** Requests need a key even if there is none, as when the last one was revoked. */
  readonly alwaysRequired: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Throws `bad_key` if the file is damaged. */
export function createKeyStore({ path, alwaysRequired, clock, logger }: KeyStoreOptions): KeyStore {
  let seen = versionOf(path);
  let keys = indexOf(readKeyFile(path));
  let checkedAt = clock.monotonic();

  const reload = (version: string): void => {
    seen = version;
    try {
      const found = readKeyFile(path);
      // A server that asks for keys must not become open because a file is missing.
      if (found === undefined) throw new Error(`${path} is missing`);
      keys = indexOf(found);
      logger.info('read the keys again', { keys: keys.size });
    } catch (error) {
      logger.error('the keys were not changed', { reason: messageOf(error) });
    }
  };
  const current = (): ReadonlyMap<string, KeyRecord> => {
    const now = clock.monotonic();
    if (now - checkedAt < nanosecondsPerSecond) return keys;
    checkedAt = now;
    const version = versionOf(path);
    if (version !== seen) reload(version);
    return keys;
  };

  return {
    areRequired: () => current().size > 0 || alwaysRequired,
    find: (id) => current().get(id),
    refresh() {
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function indexOf(keys: readonly KeyRecord[] | undefined): ReadonlyMap<string, KeyRecord> {
  return new Map((keys ?? []).map((key) => [key.id, key]));
}

/** Differs after every change: a replaced file has another inode. */
function versionOf(path: string): string {
  const info = statSync(path, { throwIfNoEntry: false, bigint: true });
  return info === undefined ? '' : [info.ino, info.mtimeNs, info.size].join(' ');
}
