// A key as it is stored. The file is written by this program, but may be edited by hand or damaged, so every field is
// checked.

import { HearthError } from '../../../base/errors.ts';
import { isCount, parseJson } from '../../../base/json-values.ts';
import { type CallerKey, type KeyScope, keyRules, keyScopes, lesserScope } from '../../../base/request/caller-key.ts';

interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerDay?: number;
}

/** What the administrator chooses for a key. */
export interface KeyGrant extends KeyLimits {
  readonly name: string;
  readonly scope: KeyScope;
  /** Patterns of model names; empty: all models. */
  readonly models: readonly string[];
  /** The time in milliseconds since the epoch; absent: never. */
  readonly expiresAt?: number;
  /** Absent: a group of its own. */
  readonly group?: string;
  readonly weight: number;
}

export interface KeyRecord extends KeyGrant {
  readonly id: string;
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly createdAt: number;
  /** The id of the user who has created the key for himself, and whom it stands for. */
  readonly owner?: string;
}

/** Who may use the server: a key, or a user. */
export interface KeyHolder extends KeyRecord {
  /** The user has signed in, or has sent a key of his own. */
  readonly isUser?: true;
  /** The provider has said that the user has no access. */
  readonly isRefused?: boolean;
  /** The id of that key. */
  readonly credential?: string;
}

export const maxKeys = 10_000;
const { maxModels, maxWeight, maxQuota } = keyRules;
const namePattern = new RegExp(keyRules.name);
const modelPattern = new RegExp(keyRules.model);

type Check = (value: unknown) => boolean;
const isLimit: Check = (value) => isCount(value) && (value as number) >= 1 && (value as number) <= maxQuota;
const isId: Check = (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value);
const isName: Check = (value) => typeof value === 'string' && namePattern.test(value);
const isModel: Check = (value) => typeof value === 'string' && modelPattern.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** The rules for each field, with words for people. */
const fields: Readonly<Record<keyof KeyRecord, readonly [Check, string]>> = {
  id: [isId, '16 hex digits'],
  name: [isName, '1 to 64 letters, digits, dots, underscores, @ or hyphens, beginning with a letter or digit'],
  hash: [(value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), '64 hex digits'],
  scope: [(value) => keyScopes.some((scope) => scope === value), `one of ${keyScopes.join(', ')}`],
  models: [
    (value) => Array.isArray(value) && value.length <= maxModels && value.every(isModel),
    `at most ${maxModels} names or patterns of models`,
  ],
  createdAt: [isCount, 'a time in milliseconds'],
  owner: [optional(isId), '16 hex digits'],
  expiresAt: [optional(isCount), 'a time in milliseconds'],
  requestsPerMinute: [optional(isLimit), 'a whole number from 1'],
  tokensPerDay: [optional(isLimit), 'a whole number from 1'],
  group: [optional(isName), 'a name like that of a key'],
  weight: [(value) => isLimit(value) && (value as number) <= maxWeight, `a whole number from 1 to ${maxWeight}`],
};

/** Throws `bad_request` with the name of the first wrong field. */
export function checkKeyRecord(value: unknown): KeyRecord {
  if (typeof value !== 'object' || value === null) throw new HearthError('bad_request', 'a key must be an object');
  const record = value as Readonly<Record<string, unknown>>;
  for (const [name, [check, expected]] of Object.entries(fields))
    if (!check(record[name])) throw new HearthError('bad_request', `${name} of a key must be ${expected}`);
  return record as unknown as KeyRecord;
}

/** A user's own key stands for the user, and allows no more than the user may do. */
export function toOwner(key: KeyRecord, user: KeyHolder): KeyHolder {
  const { expiresAt: ofKey = Number.POSITIVE_INFINITY } = key;
  const { expiresAt: ofUser = Number.POSITIVE_INFINITY } = user;
  const scope = lesserScope(key.scope, user.scope);
  return { ...user, scope, expiresAt: Math.min(ofKey, ofUser), credential: key.id };
}

/** The content of the file. */
export function encodeKeys(keys: readonly KeyRecord[]): string {
  return `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
}

/** Throws if the text is not a valid file. */
export function decodeKeys(text: string): KeyRecord[] {
  const value = parseJson(text) as { readonly version?: unknown; readonly keys?: unknown } | null | undefined;
  // The message of the parser would quote the text, which may be a key that was written to the wrong file.
  if (value === undefined) throw new HearthError('bad_request', 'not valid JSON');
  if (value?.version !== 1 || !Array.isArray(value.keys) || value.keys.length > maxKeys)
    throw new HearthError('bad_request', 'not a file of keys');
  const keys = value.keys.map(checkKeyRecord);
  for (const field of ['id', 'name'] as const)
    if (new Set(keys.map((key) => key[field])).size < keys.length)
      throw new HearthError('bad_request', `two keys have the same ${field}`);
  return keys;
}

export function toCallerKey({ id, name, scope, group, models, weight, credential }: KeyHolder): CallerKey {
  // A name cannot contain a space, so no group has the name of a key that has none.
  return { id, name, scope, group: group ?? `key ${id}`, models, weight, credential };
}
