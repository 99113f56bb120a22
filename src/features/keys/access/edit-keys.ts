// Creates, revokes and rotates keys. Only these functions ever know a secret, and they return it once.

import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import { changeKeyFile, readKeyFile } from './key-file.ts';
import { checkKeyRecord, type KeyGrant, type KeyRecord, maxKeys } from './key-record.ts';
import { formatKey, hashSecret, newKeyId, newSecret } from './key-text.ts';

export interface NewKey {
  /** With the secret. It is not stored. */
  readonly text: string;
  readonly record: KeyRecord;
}

/** `onChange` is called after every change. */
export function createKeyEditor(path: string, clock: Clock, onChange: () => void = () => {}) {
  const change = async <Result>(edit: (keys: readonly KeyRecord[]) => Edited<Result>): Promise<Result> => {
    const result = await changeKeyFile(path, clock, edit);
    onChange();
    return result;
  };
  return {
    list: (): readonly KeyRecord[] => readKeyFile(path) ?? [],
    create: (grant: KeyGrant): Promise<NewKey> =>
      change((keys) => {
        if (keys.some(({ name }) => name === grant.name))
          throw new HearthError('bad_request', `there is already a key "${grant.name}"`);
        if (keys.length >= maxKeys) throw new HearthError('bad_request', `there are already ${maxKeys} keys`);
        const created = withSecret({ ...grant, id: newKeyId(), createdAt: clock.now() });
        return { keys: [...keys, created.record], result: created };
      }),
    revoke: (name: string): Promise<void> =>
      change((keys) => {
        findKey(keys, name);
        return { keys: keys.filter((key) => key.name !== name), result: undefined };
      }),
    /** A new secret for the same key, which keeps its quotas and stored responses. The old secret is not valid any more. */
    rotate: (name: string): Promise<NewKey> =>
      change((keys) => {
        const old = findKey(keys, name);
        const created = withSecret({ ...old, createdAt: clock.now() });
        return { keys: keys.map((key) => (key === old ? created.record : key)), result: created };
      }),
  };
}

export type KeyEditor = ReturnType<typeof createKeyEditor>;

interface Edited<Result> {
  readonly keys: readonly KeyRecord[];
  readonly result: Result;
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
