// The users who have signed in. They are in memory, and in a file so that a restart keeps blocks and limits.

import { readFileSync } from 'node:fs';
import { HearthError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { Identity } from '../read-identity.ts';
import type { Sealer } from '../sealer.ts';
import {
  checkUserRecord,
  decodeUsers,
  encodeUsers,
  maxUsers,
  newHash,
  type UserLimits,
  type UserRecord,
  userId,
} from './user-record.ts';

interface UserStoreOptions {
  readonly path: string;
  readonly issuer: string;
  /** How long a user has access after the provider has confirmed it. */
  readonly graceMs: number;
  /** Absent: refresh tokens are kept in memory only. */
  readonly sealer?: Sealer;
  /** Whether a key has this name. */
  readonly isNameTaken: (name: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A user who may use the server, in the form of a key. */
interface UserGrant extends Omit<UserRecord, 'blocked'> {
  readonly isUser: true;
  readonly isRefused: boolean;
  readonly weight: number;
  readonly expiresAt: number;
}

/** What the provider has confirmed. */
interface Confirmation {
  readonly identity: Identity & { readonly scope: NonNullable<Identity['scope']> };
  /** Absent: the provider gave none. */
  readonly refreshToken?: string;
}

const writeDelayMs = 1000;

export class UserStore {
  readonly #options: UserStoreOptions;
  /** The least recently confirmed is the first. */
  readonly #users: Map<string, UserRecord>;
  readonly #tokens = new Map<string, string>();
  #timer: Timer | undefined;
  #writing = Promise.resolve();

  /** Throws `bad_key` if the file is damaged: it may say who is blocked. */
  constructor(options: UserStoreOptions) {
    this.#options = options;
    const users = readUsers(options.path).sort((a, b) => a.confirmedAt - b.confirmedAt);
    this.#users = new Map(users.map((user) => [user.id, user]));
    for (const { id, refresh } of users) {
      const token = refresh === undefined ? undefined : options.sealer?.open(refresh, id);
      if (token !== undefined) this.#tokens.set(id, token);
    }
  }

  /** Undefined for a user who is blocked. */
  find(id: string): UserGrant | undefined {
    const user = this.#users.get(id);
    // A file of another provider may have been left.
    if (user === undefined || user.blocked === true || user.issuer !== this.#options.issuer) return undefined;
    const { confirmedAt } = user;
    const expiresAt = confirmedAt + this.#options.graceMs;
    return { ...user, isUser: true, isRefused: confirmedAt === 0, weight: 1, expiresAt };
  }

  list(): UserRecord[] {
    return [...this.#users.values()];
  }

  /** Throws `key_not_found`. */
  named(name: string): UserRecord {
    const user = this.list().find((candidate) => candidate.name === name);
    if (user === undefined) throw new HearthError('key_not_found', `there is no user "${name.slice(0, 100)}"`);
    return user;
  }

  tokenOf(id: string): string | undefined {
    return this.#tokens.get(id);
  }

  /** The provider has signed in a user. Throws `missing_scope` if the user is blocked here. */
  signIn({ identity, refreshToken }: Confirmation): UserRecord {
    const { issuer, clock } = this.#options;
    const { subject, scope } = identity;
    const id = userId(issuer, subject);
    const known = this.#users.get(id);
    if (known?.blocked) throw new HearthError('missing_scope', `the user "${known.name}" is blocked`);
    const now = clock.now();
    const created = {
      id,
      issuer,
      subject,
      name: '',
      scope,
      createdAt: now,
      confirmedAt: now,
      hash: newHash(),
      models: [],
    };
    const user = known ?? { ...created, name: this.#freeName(identity.name, id) };
    if (user.issuer !== issuer || user.subject !== subject) throw new Error('two users have the same id');
    if (known === undefined) this.#makeRoom();
    return this.#put({ ...user, scope, confirmedAt: now }, refreshToken);
  }

  /** The provider has confirmed the access of a user whose token it was asked with. */
  confirm(id: string, { identity: { scope }, refreshToken }: Confirmation): void {
    const user = this.#users.get(id);
    if (user !== undefined) this.#put({ ...user, scope, confirmedAt: this.#options.clock.now() }, refreshToken);
  }

  /** The provider has refused the user: sessions and running requests end. */
  end(id: string): void {
    const user = this.#users.get(id);
    if (user !== undefined) this.#put({ ...user, confirmedAt: 0, hash: newHash() }, undefined);
  }

  /** Changes of the administrator. A user who is blocked has no sessions afterwards. */
  limit(name: string, limits: Partial<UserLimits>): UserRecord {
    const user = this.named(name);
    const hash = limits.blocked === true ? newHash() : user.hash;
    return this.#put(checkUserRecord({ ...user, ...limits, hash }), this.#tokens.get(user.id));
  }

  /** Forgets a user, who can sign in again. */
  remove(name: string): UserRecord {
    const user = this.named(name);
    this.#users.delete(user.id);
    this.#tokens.delete(user.id);
    this.#writeSoon();
    return user;
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    if (this.#timer) this.#write();
    await this.#writing;
  }

  #put(user: UserRecord, token: string | undefined): UserRecord {
    const { id } = user;
    const refresh = token === undefined ? undefined : this.#options.sealer?.seal(token, id);
    const stored = checkUserRecord({ ...user, refresh });
    // The end of the order.
    this.#users.delete(id);
    this.#users.set(id, stored);
    if (token === undefined) this.#tokens.delete(id);
    else this.#tokens.set(id, token);
    this.#writeSoon();
    return stored;
  }

  #freeName(wanted: string, id: string): string {
    const isFree = (name: string): boolean =>
      !this.#options.isNameTaken(name) && !this.list().some((user) => user.name === name);
    return isFree(wanted) ? wanted : `${wanted}-${id}`;
  }

  /** Users without any choice of the administrator can be forgotten. */
  #makeRoom(): void {
    if (this.#users.size < maxUsers) return;
    const oldest = this.list().find(
      (user) =>
        !user.blocked && user.models.length === 0 && (user.tokensPerDay ?? user.requestsPerMinute) === undefined,
    );
    if (oldest === undefined) throw new HearthError('busy', `there are already ${maxUsers} users`);
    this.remove(oldest.name);
  }

  #writeSoon(): void {
    this.#timer ??= this.#options.clock.after(writeDelayMs, () => this.#write());
  }

  #write(): void {
    const { path, logger } = this.#options;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#writing = this.#writing
      .then(() => replaceFile(path, encodeUsers(this.list())))
      .catch((error) => logger.warn('could not write the users', { reason: messageOf(error) }));
  }
}

function readUsers(path: string): UserRecord[] {
  try {
    return decodeUsers(readFileSync(path, 'utf8'));
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw new HearthError('bad_key', `the file of users ${path} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}
