// The users who have signed in. Blocks and limits are stored, so that a restart keeps them.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Identity } from '../read-identity.ts';
import type { Sealer } from '../sealer.ts';
import type { UserHome } from './user-home.ts';
import { checkUserRecord, maxUsers, newHash, type UserLimits, type UserRecord, userId } from './user-record.ts';

interface UserStoreOptions {
  readonly home: UserHome;
  readonly issuer: string;
  /** How long a user has access after the provider has confirmed it. */
  readonly graceMs: number;
  /** Seals refresh tokens. A server that cannot open one does not ask about the user. */
  readonly sealer: Sealer;
  /** Whether a key has this name. */
  readonly isNameTaken: (name: string) => boolean;
  readonly clock: Pick<Clock, 'now'>;
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

type Users = ReturnType<UserHome['all']>;

export class UserStore {
  readonly #options: UserStoreOptions;

  constructor(options: UserStoreOptions) {
    this.#options = options;
  }

  /** Undefined for a user who is blocked. */
  find(id: string): UserGrant | undefined {
    const user = this.#options.home.all().get(id);
    // Users of another provider may have been left.
    if (user === undefined || user.blocked === true || user.issuer !== this.#options.issuer) return undefined;
    const { confirmedAt } = user;
    const expiresAt = confirmedAt + this.#options.graceMs;
    return { ...user, isUser: true, isRefused: confirmedAt === 0, weight: 1, expiresAt };
  }

  list(): UserRecord[] {
    return [...this.#options.home.all().values()];
  }

  tokenOf(id: string): string | undefined {
    const refresh = this.#options.home.all().get(id)?.refresh;
    return refresh === undefined ? undefined : this.#options.sealer.open(refresh, id);
  }

  /** The provider has signed in a user. Rejects with `missing_scope` if the user is blocked here. */
  signIn({ identity, refreshToken }: Confirmation): Promise<UserRecord> {
    const { issuer, clock, home } = this.#options;
    const { subject, scope } = identity;
    const id = userId(issuer, subject);
    return home.change((users) => {
      const known = users.get(id);
      if (known?.blocked) throw new HearthError('missing_scope', `the user "${known.name}" is blocked`);
      const now = clock.now();
      const created = { id, issuer, subject, scope, createdAt: now, confirmedAt: now, hash: newHash(), models: [] };
      const user = known ?? { ...created, name: this.#freeName(users, identity.name, id) };
      if (user.issuer !== issuer || user.subject !== subject) throw new Error('two users have the same id');
      const removed = known === undefined ? whoMakesRoom(users) : [];
      const result = this.#seal({ ...user, scope, confirmedAt: now }, refreshToken);
      return { stored: [result], removed, result };
    });
  }

  /** Whether the provider is to be asked about a user now. False if another server has done so in this time. */
  claim(id: string, milliseconds: number): Promise<boolean> {
    const { home, clock } = this.#options;
    return home.change((users) => {
      const user = users.get(id);
      const now = clock.now();
      if (user === undefined || Math.abs(now - (user.askedAt ?? 0)) < milliseconds) return { result: false };
      return { stored: [{ ...user, askedAt: now }], result: true };
    });
  }

  /** The provider has confirmed the access of a user whom it was asked about with this token. */
  confirm(id: string, token: string, { identity: { scope }, refreshToken }: Confirmation): Promise<void> {
    const confirmedAt = this.#options.clock.now();
    return this.#changeWithToken(id, token, (user) => this.#seal({ ...user, scope, confirmedAt }, refreshToken));
  }

  /** The provider has refused the user: sessions and running requests end. */
  end(id: string, token: string): Promise<void> {
    return this.#changeWithToken(id, token, (user) =>
      this.#seal({ ...user, confirmedAt: 0, hash: newHash() }, undefined),
    );
  }

  /** Changes of the administrator. A user who is blocked has no sessions afterwards. Rejects with `key_not_found`. */
  limit(name: string, edit: (before: UserLimits) => UserLimits): Promise<UserRecord> {
    return this.#options.home.change((users) => {
      const user = named(users, name);
      const limits = edit(user);
      const hash = limits.blocked === true ? newHash() : user.hash;
      const result = checkUserRecord({ ...user, ...limits, hash });
      return { stored: [result], result };
    });
  }

  /** Forgets a user, who can sign in again. Rejects with `key_not_found`. */
  remove(name: string): Promise<UserRecord> {
    return this.#options.home.change((users) => {
      const result = named(users, name);
      return { removed: [result.id], result };
    });
  }

  close(): Promise<void> {
    return this.#options.home.close();
  }

  /** The user may have signed in again in the meantime, which is newer. */
  #changeWithToken(id: string, token: string, edit: (user: UserRecord) => UserRecord): Promise<void> {
    return this.#options.home.change((users) => {
      const user = users.get(id);
      const isSame = user !== undefined && this.tokenOf(id) === token;
      return { stored: isSame ? [edit(user)] : [], result: undefined };
    });
  }

  #seal(user: UserRecord, token: string | undefined): UserRecord {
    const refresh = token === undefined ? undefined : this.#options.sealer.seal(token, user.id);
    return checkUserRecord({ ...user, refresh });
  }

  #freeName(users: Users, wanted: string, id: string): string {
    const isFree = !this.#options.isNameTaken(wanted) && ![...users.values()].some(({ name }) => name === wanted);
    return isFree ? wanted : `${wanted}-${id}`;
  }
}

function named(users: Users, name: string): UserRecord {
  const user = [...users.values()].find((candidate) => candidate.name === name);
  if (user === undefined) throw new HearthError('key_not_found', `there is no user "${name.slice(0, 100)}"`);
  return user;
}

/** Users without any choice of the administrator can be forgotten, the least recently confirmed one first. */
function whoMakesRoom(users: Users): string[] {
  if (users.size < maxUsers) return [];
  const candidates = [...users.values()].filter(
    (user) => !user.blocked && user.models.length === 0 && (user.tokensPerDay ?? user.requestsPerMinute) === undefined,
  );
  const [first, ...others] = candidates;
  if (first === undefined) throw new HearthError('busy', `there are already ${maxUsers} users`);
  return [others.reduce((oldest, user) => (user.confirmedAt < oldest.confirmedAt ? user : oldest), first).id];
}
