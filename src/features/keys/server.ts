// Keys on the server: who may use which route, sessions of web pages, and quotas.

import { type QuotaControl, toServerFeature } from '../../server/server-feature.ts';
import { signInRoutes } from '../sign-in/sign-in-routes.ts';
import { UserRefresh } from '../sign-in/user-refresh.ts';
import { usersRoutes } from '../sign-in/users-routes.ts';
import type { KeyStore } from './access/key-store.ts';
import type { Quotas } from './access/quotas.ts';
import { formatSessionCookie } from './access/sessions.ts';
import { createAccess } from './create-access.ts';
import { deviceSignInRoutes } from './device-sign-in-routes.ts';
import { keysRoutes } from './keys-route.ts';
import { ownKeysRoutes } from './own-keys-route.ts';
import { sessionRoutes } from './session-route.ts';

const nameOf = ({ params }: { readonly params: Readonly<Record<string, unknown>> }): unknown[] => [params['name']];

export const keysServer = toServerFeature({
  operations: {
    'GET /api/session': {
      description: 'Shows whether requests need a key, and the name and scope of the key of this one.',
      example: {},
    },
    'POST /api/session': {
      description: 'Exchanges a key for a cookie that scripts cannot read, so that a web page need not keep the key.',
      example: { body: { key: 'hearth_anna_secret' } },
    },
    'DELETE /api/session': { description: 'Ends the session of the cookie of the request.', example: {} },
    'GET /api/sign-in': {
      description:
        'Sends a browser to the OpenID Connect provider of the settings, with a cookie that it must bring back.',
      example: {},
    },
    'GET /api/sign-in/callback': {
      description: 'Begins the session of a user whom the provider has sent back, and sends the browser to the page.',
      example: {},
    },
    'POST /api/sign-in/device': {
      description:
        'Begins a sign-in with a code that people type on another device (the device flow of OAuth, RFC 8628). Commands use it, and need no secret of the provider.',
      example: {},
    },
    'POST /api/sign-in/device/key': {
      description:
        'Ends such a sign-in: creates a key of the user for the command, once the person has confirmed the code. Until then, the response is pending. A key of the same name is replaced.',
      example: { body: { token: 'sealed', name: 'cli-laptop' } },
    },
    'GET /api/session/keys': {
      description: 'Lists the keys that the user of the session has created, and how many there may be.',
      example: {},
    },
    'POST /api/session/keys': {
      description:
        'Creates a key that stands for the user of the session and shows it, once. Only for users who have signed in.',
      example: { body: { name: 'laptop' } },
    },
    'DELETE /api/session/keys/:name': {
      description: 'Revokes a key that the user of the session has created.',
      example: { path: { name: 'anna.laptop' } },
    },
    'GET /api/users': {
      description: 'Lists the users who have signed in, with their keys, limits and tokens of this day.',
      example: {},
    },
    'POST /api/users/:name': {
      description: 'Sets limits of a user, or blocks the user: sessions, keys and running answers end.',
      example: { path: { name: 'anna' }, body: { tokens_per_day: 100000 } },
    },
    'DELETE /api/users/:name': {
      description:
        'Forgets a user, the limits and the keys. The user can sign in again, and has the same conversations.',
      example: { path: { name: 'anna' } },
    },
    'GET /api/keys': { description: 'Lists the keys with their scopes, models and quotas.', example: {} },
    'POST /api/keys': {
      description: 'Creates a key and shows it, once. From the first key on, every request needs one.',
      example: { body: { name: 'anna', models: ['ember*'], requests_per_minute: 60 } },
    },
    'DELETE /api/keys/:name': {
      description: 'Revokes a key. Requests that are running are not ended.',
      example: { path: { name: 'anna' } },
    },
    'POST /api/keys/:name/rotate': {
      description: 'Gives a key a new secret and shows it, once. The old one is not valid any more.',
      example: { path: { name: 'anna' } },
    },
  },
  audit: {
    'POST /api/keys': { action: 'create key', subject: ({ body }) => [body['name']] },
    'DELETE /api/keys/:name': { action: 'revoke key', subject: nameOf },
    'POST /api/keys/:name/rotate': { action: 'rotate key', subject: nameOf },
    // The body is the key itself. The route notes its name.
    'POST /api/session': { action: 'begin session', subject: () => [] },
    'DELETE /api/session': { action: 'end session', subject: () => [] },
    'POST /api/session/keys': { action: 'create own key', subject: ({ body }) => [body['name']] },
    'DELETE /api/session/keys/:name': { action: 'revoke own key', subject: nameOf },
    'POST /api/users/:name': {
      action: 'limit user',
      subject: ({ body, params }) => [
        params['name'],
        body['blocked'] === undefined ? '' : `blocked=${body['blocked']}`,
      ],
    },
    'DELETE /api/users/:name': { action: 'remove user', subject: nameOf },
    // The query is for the provider alone. The route notes the name of the user.
    'GET /api/sign-in/callback': { action: 'sign in', subject: () => [] },
    'POST /api/sign-in/device': { action: 'begin sign-in', subject: () => [] },
    'POST /api/sign-in/device/key': { action: 'create own key', subject: ({ body }) => [body['name']] },
  },
  open(parts) {
    const { keys, editor, sessions, quotas, authenticator, signIn, checkOpen } = createAccess(parts);
    const { clock, logger, settings } = parts;
    const access = { ...authenticator, ...controlQuotas(keys, quotas) };
    const hasKey = (id: string): boolean =>
      keys.list().some(({ owner, expiresAt = Number.POSITIVE_INFINITY }) => owner === id && expiresAt > clock.now());
    const hasAccess = (id: string): boolean => {
      const holder = keys.find(id);
      if (holder?.isUser) return holder.isRefused !== true;
      return holder !== undefined && (holder.expiresAt ?? Number.POSITIVE_INFINITY) > clock.now();
    };
    const isActive = (id: string): boolean => sessions.has(id) || hasKey(id);
    const refresh = signIn && new UserRefresh({ signIn, intervalMs: settings.oidcRefresh, isActive, clock, logger });
    return {
      access,
      hasAccess,
      authenticator,
      keys,
      quotas,
      editor,
      sessions,
      signIn,
      prepare: checkOpen,
      start: () => refresh?.start(),
      stop: () => refresh?.stop(),
      async close() {
        await Promise.all([quotas.close(), signIn?.users.close()]);
      },
    };
  },
  routes: (opened, { settings, clock, logger }) => [
    ...keysRoutes(opened.editor),
    ...sessionRoutes(opened),
    ...ownKeysRoutes({ ...opened, maxKeys: settings.userKeys, maxLifeMs: settings.userKeyLife, clock }),
    ...deviceSignInRoutes({
      signIn: opened.signIn,
      editor: opened.editor,
      maxKeys: settings.userKeys,
      maxLifeMs: settings.userKeyLife,
      clock,
      logger,
    }),
    ...usersRoutes({
      signIn: opened.signIn,
      keysOf: (id) => opened.keys.list().flatMap(({ owner, name }) => (owner === id ? [name] : [])),
      revokeKeysOf: (id) => opened.editor.revokeOwn(id),
      tokensToday: (id) => opened.quotas.tokensToday(id),
      now: () => clock.now(),
    }),
    ...signInRoutes({
      signIn: opened.signIn,
      openSession: async (user, options) => formatSessionCookie(await opened.sessions.open(user), options),
      logger,
    }),
  ],
});

export function controlQuotas(keys: Pick<KeyStore, 'find'>, quotas: Quotas): QuotaControl {
  return {
    // A key that was revoked in the meantime has no quota, and its requests end.
    openMeter: (key, expected) => quotas.openMeter(keys.find(key.id) ?? key, expected),
  };
}
