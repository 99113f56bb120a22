// GET and POST /api/keys, DELETE /api/keys/:name and POST /api/keys/:name/rotate on the wire.

import { Type } from 'typebox';
import { HearthError } from '../../base/errors.ts';
import { type KeyScope, keyRules, keyScopes } from '../../base/request/caller-key.ts';
import { formatTimestamp, parseTimestamp } from '../../base/time/timestamp.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const Scope = Type.Enum([...keyScopes]);
// Not checked here: the rules of keys have errors in words.
const documentedName = { pattern: keyRules.name };
const documentedQuota = { maximum: keyRules.maxQuota };
const limits = {
  requests_per_minute: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only requests that run a model count.', documented: documentedQuota }),
  ),
  tokens_per_day: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Prompts and answers; days of UTC.', documented: documentedQuota }),
  ),
  group: Type.Optional(
    Type.String({ description: 'Keys of one group share evaluated prompts.', documented: documentedName }),
  ),
};

export const keyNameField = Type.String({ documented: documentedName });

export const CreateKeyRequestBody = Type.Object({
  name: keyNameField,
  scope: Type.Optional(Scope),
  models: Type.Optional(
    Type.Array(Type.String({ documented: { pattern: keyRules.model } }), {
      description: 'Names of models; each may contain one * as a wildcard. Default: all.',
      documented: { maxItems: keyRules.maxModels },
    }),
  ),
  expires_at: Type.Optional(
    Type.String({ description: 'A time in RFC 3339. Default: never.', documented: { format: 'date-time' } }),
  ),
  weight: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Share of the slots. Default: 1.',
      documented: { maximum: keyRules.maxWeight },
    }),
  ),
  ...limits,
});
export type CreateKeyRequestBody = Wire<typeof CreateKeyRequestBody>;

export const CreateOwnKeyRequestBody = Type.Object({
  name: Type.String({
    description: 'It follows the name of the user.',
    documented: { pattern: '^[A-Za-z0-9_-]{1,20}$' },
  }),
  scope: Type.Optional(Scope),
  expires_at: Type.Optional(
    Type.String({
      description: 'A time in RFC 3339. Default: as late as the server allows.',
      documented: { format: 'date-time' },
    }),
  ),
});
export type CreateOwnKeyRequestBody = Wire<typeof CreateOwnKeyRequestBody>;

const entry = {
  name: Type.String(),
  id: Type.String(),
  scope: Scope,
  models: Type.Array(Type.String()),
  created_at: Type.String(),
  expires_at: Type.Optional(Type.String()),
  weight: Type.Integer(),
  ...limits,
};

export const KeyEntryBody = Type.Object(entry);
export type KeyEntryBody = Wire<typeof KeyEntryBody>;

export const KeysResponseBody = Type.Object({ keys: Type.Array(KeyEntryBody) });
export type KeysResponseBody = Wire<typeof KeysResponseBody>;

export const OwnKeysResponseBody = Type.Object({
  keys: Type.Array(KeyEntryBody),
  max_keys: Type.Integer({ description: 'How many keys the user may have.' }),
  max_hours: Type.Optional(Type.Number({ description: 'How long a key is valid at most. Absent: no limit.' })),
});
export type OwnKeysResponseBody = Wire<typeof OwnKeysResponseBody>;

export const NewKeyResponseBody = Type.Object({
  key: Type.String({ description: 'The key itself. It is shown only once.' }),
  ...entry,
});
export type NewKeyResponseBody = Wire<typeof NewKeyResponseBody>;

export const RevokeKeyResponseBody = Type.Object({ status: Type.Literal('success') });
export type RevokeKeyResponseBody = Wire<typeof RevokeKeyResponseBody>;

/** A key without its secret. */
interface KeyFields {
  readonly name: string;
  readonly scope: KeyScope;
  readonly models: readonly string[];
  /** The time in milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly weight: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerDay?: number;
  readonly group?: string;
}

export function fromCreateKeyBody(body: CreateKeyRequestBody): KeyFields {
  const { name, scope = 'infer', models = [], weight = 1, group } = body;
  const { expires_at: expires, requests_per_minute: requestsPerMinute, tokens_per_day: tokensPerDay } = body;
  return {
    name,
    scope,
    models,
    weight,
    expiresAt: expires === undefined ? undefined : parseExpiry(expires),
    requestsPerMinute,
    tokensPerDay,
    group,
  };
}

export function parseExpiry(text: string): number {
  const time = parseTimestamp(text);
  if (!Number.isFinite(time)) throw new HearthError('bad_request', 'expires_at must be a time in RFC 3339');
  return time;
}

export function toKeyEntry(key: KeyFields & { readonly id: string; readonly createdAt: number }): KeyEntryBody {
  const { name, id, scope, models, createdAt, expiresAt, weight, requestsPerMinute, tokensPerDay, group } = key;
  return {
    name,
    id,
    scope,
    models,
    created_at: formatTimestamp(createdAt),
    expires_at: expiresAt === undefined ? undefined : formatTimestamp(expiresAt),
    weight,
    requests_per_minute: requestsPerMinute,
    tokens_per_day: tokensPerDay,
    group,
  };
}
