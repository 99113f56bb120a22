// GET /api/users, POST and DELETE /api/users/:name on the wire.

import { Type } from 'typebox';
import { keyRules, keyScopes } from '../../base/request/caller-key.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const quota = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description, documented: { maximum: keyRules.maxQuota } }));

const limits = {
  requests_per_minute: quota('Only requests that run a model count. 0: no limit.'),
  tokens_per_day: quota('Prompts and answers; days of UTC. 0: no limit.'),
  models: Type.Optional(
    Type.Array(Type.String({ documented: { pattern: keyRules.model } }), {
      description: 'Names of models; each may contain one * as a wildcard. Empty: all.',
      documented: { maxItems: keyRules.maxModels },
    }),
  ),
};

export const userNameField = Type.String({ documented: { pattern: keyRules.name } });

export const UserRequestBody = Type.Object({
  blocked: Type.Optional(Type.Boolean({ description: 'A blocked user has no access, whatever the provider says.' })),
  ...limits,
});
export type UserRequestBody = Wire<typeof UserRequestBody>;

export const UserEntryBody = Type.Object({
  name: Type.String(),
  id: Type.String(),
  scope: Type.Enum([...keyScopes]),
  state: Type.Enum(['active', 'expired', 'blocked'], { description: 'expired: the user must sign in again.' }),
  created_at: Type.String({ description: 'When the user signed in first.' }),
  confirmed_at: Type.Optional(Type.String({ description: 'When the provider last confirmed the access.' })),
  keys: Type.Array(Type.String(), { description: 'Names of the keys that the user has created.' }),
  tokens_today: Type.Integer(),
  ...limits,
});
export type UserEntryBody = Wire<typeof UserEntryBody>;

export const UsersResponseBody = Type.Object({ users: Type.Array(UserEntryBody) });
export type UsersResponseBody = Wire<typeof UsersResponseBody>;

export const RemoveUserResponseBody = Type.Object({ status: Type.Literal('success') });
export type RemoveUserResponseBody = Wire<typeof RemoveUserResponseBody>;
