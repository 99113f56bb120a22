// Where users are stored: in a file of this machine, or in the state that several servers share. All are in memory.

import { readFileSync } from 'node:fs';
import { HearthError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import { parseJson } from '../../../base/json-values.ts';
import type { Logger } from '../../../base/logger.ts';
import type { SharedState } from '../../../base/state/shared-state.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import { checkUserRecord, decodeUsers, encodeUsers, type UserRecord } from './user-record.ts';

type Users = ReadonlyMap<string, UserRecord>;

interface UserEdit<Result> {
  readonly stored?: readonly UserRecord[];
  /** Ids. */
  readonly removed?: readonly string[];
  readonly result: Result;
}

export interface UserHome {
  all(): Users;
  /** Stores what `edit` returns, which sees the users as they are stored. One change at a time. */
  change<Result>(edit: (users: Users) => UserEdit<Result>): Promise<Result>;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

const writeDelayMs = 1000;

export class UserFile implements UserHome {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #users: Map<string, UserRecord>;
  #timer: Timer | undefined;
  #writing = Promise.resolve();

  /** Throws `bad_key` if the file is damaged: it may say who is blocked. */
  constructor(path: string, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#path = path;
    this.#clock = clock;
    this.#logger = logger;
    this.#users = new Map(readUsers(path).map((user) => [user.id, user]));
  }

  all(): Users {
    return this.#users;
  }

  async change<Result>(edit: (users: Users) => UserEdit<Result>): Promise<Result> {
    const { stored = [], removed = [], result } = edit(this.#users);
    for (const id of removed) this.#users.delete(id);
    for (const user of stored) this.#users.set(user.id, user);
    if (stored.length + removed.length > 0) this.#timer ??= this.#clock.after(writeDelayMs, () => this.#write());
    return result;
  }

  async close(): Promise<void> {
    if (this.#timer) this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#writing = this.#writing
      .then(() => replaceFile(this.#path, encodeUsers([...this.#users.values()])))
      .catch((error) => this.#logger.warn('could not write the users', { reason: messageOf(error) }));
  }
}

interface SharedUsersParts {
  readonly state: Pick<SharedState, 'declareEntries'>;
  /** Called when any server has changed users. */
  readonly onChange: () => void;
  readonly logger: Logger;
}

export function createSharedUserHome({ state, onChange, logger }: SharedUsersParts): UserHome {
  const users = new Map<string, UserRecord>();
  const take = (id: string, text: string | undefined): void => {
    try {
      if (text === undefined) users.delete(id);
      else users.set(id, checkUserRecord(parseJson(text)));
    } catch (error) {
      // What was known may say that the user is blocked.
      logger.error('a user in the shared state is not valid', { user: id, reason: messageOf(error) });
    }
  };
  const entries = state.declareEntries('user', (changes) => {
    for (const [id, text] of changes) take(id, text);
    onChange();
  });
  return {
    all: () => users,
    change: (edit) =>
      entries.change(() => {
        const { stored = [], removed = [], result } = edit(users);
        const changes = new Map<string, string | undefined>(removed.map((id) => [id, undefined]));
        for (const user of stored) changes.set(user.id, JSON.stringify(user));
        return { changes, result };
      }),
    close: async () => {},
  };
}

function readUsers(path: string): UserRecord[] {
  try {
    return decodeUsers(readFileSync(path, 'utf8'));
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw new HearthError('bad_key', `the file of users ${path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
