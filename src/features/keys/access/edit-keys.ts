// Creates, revokes and rotates keys. Only these functions ever know a secret, and they return it once.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { EditKeys } from './key-file.ts';
import type { KeyHome } from './key-home.ts';
import { checkKeyRecord, type KeyGrant, type KeyRecord, maxKeys } from './key-record.ts';
import { formatKey, hashSecret, newKeyId, newSecret } from './key-text.ts';

export interface NewKey {
  /** With the secret. It is not stored. */
  readonly text: string;
  readonly record: KeyRecord;
}

/** `onChange` is called after every change. */
export function createKeyEditor(home: KeyHome, clock: Pick<Clock, 'now'>, onChange: () => void = () => {}) {
  const change = async <Result>(edit: EditKeys<Result>): Promise<Result> => {
    const result = await home.change(edit);
    onChange();
    return result;
  };
  return {
    list: (): readonly KeyRecord[] => home.read() ?? [],
    create: (grant: KeyGrant): Promise<NewKey> =>
      change((keys) => {
        const created = addKey(keys, grant, clock.now());
        return { keys: [...keys, created.record], result: created };
      }),
    /** A key that a user creates for himself. Those of his that have expired are removed. `replaces`: so is one with this name. */
    createOwn: (
      grant: KeyGrant & { readonly owner: string },
      { maxOwn, replaces = false }: { readonly maxOwn: number; readonly replaces?: boolean },
    ): Promise<NewKey> =>
      change((all) => {
        const isOver = ({ owner, name, expiresAt = Number.POSITIVE_INFINITY }: KeyRecord): boolean =>
          owner === grant.owner && (expiresAt <= clock.now() || (replaces && name === grant.name));
        const keys = all.filter((key) => !isOver(key));
        if (keys.filter(({ owner }) => owner === grant.owner).length >= maxOwn)
          throw new HearthError('bad_request', `a user may have ${maxOwn} keys`);
        const created = addKey(keys, grant, clock.now());
        return { keys: [...keys, created.record], result: created };
      }),
    revokeOwn: (owner: string): Promise<void> =>
      change((keys) => ({ keys: keys.filter((key) => key.owner !== owner), result: undefined })),
    revoke: (name: string): Promise<void> =>
      change((keys) => {
        findKey(keys, name);
        return { keys: keys.filter((key) => key.name !== name), result: undefined };
      }),
    /** A new secret for the same key, which keeps its quotas and stored responses. The old secret is not valid any more. */
    rotate: (name: string): Promise<NewKey> =>
      change((keys) => {
        const old = findKey(keys, name);
        // The secret would let its reader be the user.
        if (old.owner !== undefined)
          throw new HearthError('bad_request', `the key "${old.name}" belongs to a user, who can create another`);
        const created = withSecret({ ...old, createdAt: clock.now() });
        return { keys: keys.map((key) => (key === old ? created.record : key)), result: created };
      }),
  };
}

export type KeyEditor = ReturnType<typeof createKeyEditor>;

function addKey(keys: readonly KeyRecord[], grant: KeyGrant & Pick<KeyRecord, 'owner'>, createdAt: number): NewKey {
  if (keys.some(({ name }) => name === grant.name))
    throw new HearthError('bad_request', `there is already a key "${grant.name}"`);
  if (keys.length >= maxKeys) throw new HearthError('bad_request', `there are already ${maxKeys} keys`);
  return withSecret({ ...grant, id: newKeyId(), createdAt });
}

function findKey(keys: readonly KeyRecord[], name: string): KeyRecord {
  const found = keys.find((key) => key.name === name);
  if (found === undefined) throw new HearthError('key_not_found', `there is no key "${name.slice(0, 100)}"`);
  return found;
}

function withSecret(record: Omit<KeyRecord, 'hash'>): NewKey {
  const secret = newSecret();
  return {
    text: formatKey({ id: record.id, secret }),
    record: checkKeyRecord({ ...record, hash: hashSecret(secret) }),
  };
}
