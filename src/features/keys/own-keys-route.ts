// GET and POST /api/session/keys, DELETE /api/session/keys/:name: users create keys for themselves, within the limits of
// the administrator.

import type { FastifyRequest } from 'fastify';
import { HearthError } from '../../base/errors.ts';
import { includesScope } from '../../base/request/caller-key.ts';
import type { Clock } from '../../base/time/clock.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import type { KeyEditor } from './access/edit-keys.ts';
import type { KeyHolder } from './access/key-record.ts';
import type { KeyStore } from './access/key-store.ts';
import {
  CreateOwnKeyRequestBody,
  keyNameField,
  NewKeyResponseBody,
  OwnKeysResponseBody,
  parseExpiry,
  RevokeKeyResponseBody,
  toKeyEntry,
} from './keys-schema.ts';

interface OwnKeysOptions {
  readonly keys: Pick<KeyStore, 'find'>;
  readonly editor: KeyEditor;
  readonly maxKeys: number;
  readonly maxLifeMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** The name of the key follows that of the user and a dot. */
const labelPattern = /^[A-Za-z0-9_-]{1,20}$/;

export function ownKeysRoutes({ keys, editor, maxKeys, maxLifeMs, clock }: OwnKeysOptions): Route[] {
  const common = { dialect: ollamaDialect, scope: 'infer', tag: 'Server', path: '/api/session/keys' } as const;
  const ownOf = (id: string) => editor.list().filter(({ owner }) => owner === id);
  return [
    {
      ...common,
      method: 'GET',
      summary: 'List the keys that the user has created',
      response: OwnKeysResponseBody,
      handle({ scope }): OwnKeysResponseBody {
        const { id } = userOf(keys, scope.key);
        return {
          keys: ownOf(id).map(toKeyEntry),
          max_keys: maxKeys,
          max_hours: Number.isFinite(maxLifeMs) ? maxLifeMs / 3_600_000 : undefined,
        };
      },
    },
    {
      ...common,
      method: 'POST',
      summary: 'Create a key for oneself',
      body: CreateOwnKeyRequestBody,
      response: NewKeyResponseBody,
      async handle({ body, scope: caller, report }): Promise<NewKeyResponseBody> {
        const user = userOf(keys, caller.key);
        const { name: label, scope = 'infer', expires_at: expires } = body as CreateOwnKeyRequestBody;
        checkLabel(label);
        if (!includesScope(user.scope, scope))
          throw new HearthError('missing_scope', `a key cannot have the scope ${scope}: the user has ${user.scope}`);
        const latest = clock.now() + maxLifeMs;
        const expiresAt = expires === undefined ? latest : parseExpiry(expires);
        if (expiresAt > latest)
          throw new HearthError('bad_request', `a key of a user is valid for ${maxLifeMs / 3_600_000} hours at most`);
        const grant = { name: `${user.name}.${label}`, scope, models: [], weight: 1, owner: user.id };
        report.subject = grant.name;
        const { text, record } = await editor.createOwn(
          { ...grant, expiresAt: Number.isFinite(expiresAt) ? Math.round(expiresAt) : undefined },
          { maxOwn: maxKeys },
        );
        return { key: text, ...toKeyEntry(record) };
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/session/keys/:name',
      params: { name: keyNameField },
      summary: 'Revoke a key that the user has created',
      response: RevokeKeyResponseBody,
      async handle({ params, scope }): Promise<RevokeKeyResponseBody> {
        const { name } = params as { readonly name: string };
        // A key that a user has created can end itself, and no other one.
        const isOwn =
          scope.key?.credential === undefined
            ? ownOf(userOf(keys, scope.key).id).some((key) => key.name === name)
            : keys.find(scope.key.credential)?.name === name;
        // The keys of others are not told apart from those that do not exist.
        if (!isOwn) throw new HearthError('key_not_found', `there is no key "${name.slice(0, 100)}"`);
        await editor.revoke(name);
        return { status: 'success' };
      },
    },
  ];
}

export function checkLabel(label: string): void {
  if (!labelPattern.test(label))
    throw new HearthError('bad_request', 'name must be 1 to 20 letters, digits, underscores or hyphens');
}

/** A key cannot create another one: one that was stolen would be valid for good. */
function userOf(keys: Pick<KeyStore, 'find'>, key: FastifyRequest['scope']['key']): KeyHolder {
  const user = key === undefined || key.credential !== undefined ? undefined : keys.find(key.id);
  if (!user?.isUser) throw new HearthError('missing_scope', 'only a user who has signed in has keys of his own');
  return user;
}
