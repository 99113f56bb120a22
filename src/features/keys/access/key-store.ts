// The keys that are valid now. A change is seen within a second, without a restart. A file that cannot be read does not
// change them: nobody is locked out, and nobody gets in.

import { messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { nanosecondsPerSecond } from '../../../base/time/duration.ts';
import type { KeyHome } from './key-home.ts';
import type { KeyHolder, KeyRecord } from './key-record.ts';

interface KeyStoreOptions {
  readonly home: KeyHome;
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
    const { home, clock } = options;
    this.#options = options;
    this.#version = home.version();
    this.#keys = indexOf(home.read());
    this.#checkedAt = clock.monotonic();
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
    const { home, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#checkedAt < nanosecondsPerSecond) return this.#keys;
    this.#checkedAt = now;
    const version = home.version();
    if (version !== this.#version) this.#reload(version);
    return this.#keys;
  }

  #reload(version: string): void {
    const { home, logger } = this.#options;
    this.#version = version;
    try {
      const found = home.read();
      // A server that asks for keys must not become open because a file is missing.
      if (found === undefined) throw new Error('their file is missing');
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
