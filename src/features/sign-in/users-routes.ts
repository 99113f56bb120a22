// GET /api/users, POST and DELETE /api/users/:name: administrators see users, limit them and block them.

import type { FastifyRequest } from 'fastify';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { configured, type SignIn } from './sign-in.ts';
import type { UserRecord } from './users/user-record.ts';
import {
  RemoveUserResponseBody,
  UserEntryBody,
  UserRequestBody,
  UsersResponseBody,
  userNameField,
} from './users-schema.ts';

interface UsersRoutesOptions {
  /** Absent: no provider is configured. */
  readonly signIn?: SignIn;
  /** The names of the keys of a user, by the id. */
  readonly keysOf: (id: string) => readonly string[];
  readonly revokeKeysOf: (id: string) => Promise<void>;
  readonly tokensToday: (id: string) => number | Promise<number>;
  readonly now: () => number;
}

const nameOf = ({ params }: FastifyRequest): string => (params as { readonly name: string }).name;

export function usersRoutes({ signIn, keysOf, revokeKeysOf, tokensToday, now }: UsersRoutesOptions): Route[] {
  const common = { dialect: ollamaDialect, scope: 'admin', tag: 'Server' } as const;
  const named = { ...common, path: '/api/users/:name', params: { name: userNameField } };
  const toEntry = async (user: UserRecord): Promise<UserEntryBody> => {
    const { name, id, scope, createdAt, confirmedAt, requestsPerMinute, tokensPerDay, models } = user;
    return {
      name,
      id,
      scope,
      state: stateOf(configured(signIn), id, now()),
      created_at: formatTimestamp(createdAt),
      confirmed_at: confirmedAt === 0 ? undefined : formatTimestamp(confirmedAt),
      keys: keysOf(id),
      tokens_today: await tokensToday(id),
      requests_per_minute: requestsPerMinute,
      tokens_per_day: tokensPerDay,
      models,
    };
  };
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/users',
      summary: 'List the users who have signed in',
      response: UsersResponseBody,
      handle: async (): Promise<UsersResponseBody> => ({
        users: await Promise.all(configured(signIn).users.list().map(toEntry)),
      }),
    },
    {
      ...named,
      method: 'POST',
      summary: 'Limit or block a user',
      body: UserRequestBody,
      response: UserEntryBody,
      async handle(request): Promise<UserEntryBody> {
        const { users } = configured(signIn);
        const {
          blocked,
          requests_per_minute: requests,
          tokens_per_day: tokens,
          models,
        } = request.body as UserRequestBody;
        const limited = await users.limit(nameOf(request), (before) => ({
          blocked: blocked ?? before.blocked,
          requestsPerMinute: requests === undefined ? before.requestsPerMinute : requests || undefined,
          tokensPerDay: tokens === undefined ? before.tokensPerDay : tokens || undefined,
          models: models ?? before.models,
        }));
        return toEntry(limited);
      },
    },
    {
      ...named,
      method: 'DELETE',
      summary: 'Forget a user and the keys of the user',
      response: RemoveUserResponseBody,
      async handle(request): Promise<RemoveUserResponseBody> {
        const { id } = await configured(signIn).users.remove(nameOf(request));
        await revokeKeysOf(id);
        return { status: 'success' };
      },
    },
  ];
}

function stateOf({ users }: SignIn, id: string, now: number): UserEntryBody['state'] {
  const grant = users.find(id);
  if (grant === undefined) return 'blocked';
  return grant.expiresAt <= now ? 'expired' : 'active';
}
