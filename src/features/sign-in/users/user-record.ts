// A user as it is stored. The file is written by this program, but may be edited by hand or damaged, so every field is
// checked.

import { createHash, randomBytes } from 'node:crypto';
import { HearthError } from '../../../base/errors.ts';
import { isCount, isObject, parseJson } from '../../../base/json-values.ts';
import { type KeyScope, keyRules, keyScopes } from '../../../base/request/caller-key.ts';

/** What the administrator chooses for a user. */
export interface UserLimits {
  /** The user has no access, whatever the provider says. */
  readonly blocked?: boolean;
  readonly requestsPerMinute?: number;
  readonly tokensPerDay?: number;
  /** Patterns of model names; empty: all models. */
  readonly models: readonly string[];
}

export interface UserRecord extends UserLimits {
  /** Follows from issuer and subject: a user who was removed and signs in again has the same conversations. */
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  /** Unique. */
  readonly name: string;
  readonly scope: KeyScope;
  /** When the user signed in first. */
  readonly createdAt: number;
  /** When the provider last confirmed that the user has access; 0 if it said that there is none. */
  readonly confirmedAt: number;
  /** Another value ends the sessions of the user, and the requests that are running. */
  readonly hash: string;
  /** When a server last asked the provider about the user. */
  readonly askedAt?: number;
  /** The sealed refresh token. */
  readonly refresh?: string;
}

export const maxUsers = 10_000;
/** Sealed tokens of some providers have several KiB. */
const maxRefreshCharacters = 16_384;
const name = new RegExp(keyRules.name);
const model = new RegExp(keyRules.model);

type Check = (value: unknown) => boolean;
const text =
  (maxCharacters: number): Check =>
  (value) =>
    typeof value === 'string' && value.length <= maxCharacters;
const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isLimit: Check = (value) => isCount(value) && value >= 1 && value <= keyRules.maxQuota;

const fields: Readonly<Record<keyof UserRecord, Check>> = {
  id: matching(/^[0-9a-f]{16}$/),
  issuer: text(2000),
  subject: text(255),
  name: matching(name),
  scope: (value) => keyScopes.some((scope) => scope === value),
  createdAt: isCount,
  confirmedAt: isCount,
  hash: matching(/^[0-9a-f]{64}$/),
  askedAt: optional(isCount),
  refresh: optional(text(maxRefreshCharacters)),
  blocked: optional((value) => typeof value === 'boolean'),
  requestsPerMinute: optional(isLimit),
  tokensPerDay: optional(isLimit),
  models: (value) => Array.isArray(value) && value.length <= keyRules.maxModels && value.every(matching(model)),
};

/** Throws `bad_request` with the name of the first wrong field. */
export function checkUserRecord(value: unknown): UserRecord {
  if (!isObject(value)) throw new HearthError('bad_request', 'a user must be an object');
  for (const [field, check] of Object.entries(fields))
    if (!check(value[field])) throw new HearthError('bad_request', `${field} of a user is not valid`);
  return value as unknown as UserRecord;
}

export function encodeUsers(users: readonly UserRecord[]): string {
  return `${JSON.stringify({ version: 1, users }, null, 2)}\n`;
}

/** Throws if the text is not a valid file. */
export function decodeUsers(content: string): UserRecord[] {
  const value = parseJson(content);
  if (!isObject(value) || value['version'] !== 1 || !Array.isArray(value['users']) || value['users'].length > maxUsers)
    throw new HearthError('bad_request', 'not a file of users');
  const users = value['users'].map(checkUserRecord);
  for (const field of ['id', 'name'] as const)
    if (new Set(users.map((user) => user[field])).size < users.length)
      throw new HearthError('bad_request', `two users have the same ${field}`);
  return users;
}

export function userId(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 16);
}

export const newHash = (): string => randomBytes(32).toString('hex');
