// The keys that are valid now. A change of the file is seen within a second, without a restart. A file that cannot be
// read does not change them: nobody is locked out, and nobody gets in.

import { messageOf } from '../../../base/errors.ts';
import { fileVersion } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import { readKeyFile } from './key-file.ts';
import type { KeyHolder, KeyRecord } from './key-record.ts';

interface KeyStoreOptions {
  readonly path: string;
  /** Requests need a key even if there is none, as when the last one was revoked. */
  readonly alwaysRequired: boolean;
  /** Users who have signed in; absent: there are none. */
  readonly findUser?: (id: string) => KeyHolder | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class KeyStore {
  readonly #options: KeyStoreOptions;
  #version: string;
  #keys: ReadonlyMap<string, KeyRecord>;
  #checkedAt: number;

  /** Throws `bad_key` if the file is damaged. */
  constructor(options: KeyStoreOptions) {
    this.#options = options;
    this.#version = fileVersion(options.path);
    this.#keys = indexOf(readKeyFile(options.path));
    this.#checkedAt = options.clock.monotonic();
  }

  /** Whether requests need a key. */
  areRequired(): boolean {
    return this.#current().size > 0 || this.#options.alwaysRequired;
  }

  /** A key or a user. */
  find(id: string): KeyHolder | undefined {
    return this.#current().get(id) ?? this.#options.findUser?.(id);
  }

  list(): KeyRecord[] {
    return [...this.#current().values()];
  }

  /** The next use reads the file if it has changed. */
  refresh(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  #current(): ReadonlyMap<string, KeyRecord> {
    const { path, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#checkedAt < nanosecondsPerSecond) return this.#keys;
    this.#checkedAt = now;
    const version = fileVersion(path);
    if (version !== this.#version) this.#reload(version);
    return this.#keys;
  }

  #reload(version: string): void {
    const { path, logger } = this.#options;
    this.#version = version;
    try {
      const found = readKeyFile(path);
      // A server that asks for keys must not become open because a file is missing.
      if (found === undefined) throw new Error(`${path} is missing`);
      this.#keys = indexOf(found);
      logger.info('read the keys again', { keys: this.#keys.size });
    } catch (error) {
      logger.error('the keys were not changed', { reason: messageOf(error) });
    }
  }
}

function indexOf(keys: readonly KeyRecord[] | undefined): ReadonlyMap<string, KeyRecord> {
  return new Map((keys ?? []).map((key) => [key.id, key]));
}
