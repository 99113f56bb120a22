// Keys on the server: who may use which route, sessions of web pages, and quotas.

import { type QuotaControl, toServerFeature } from '../../server/server-feature.ts';
import type { KeyStore } from './access/key-store.ts';
import type { Quotas } from './access/quotas.ts';
import { createAccess } from './create-access.ts';
import { keysRoutes } from './keys-route.ts';
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
  },
  open(parts) {
    const { keys, editor, sessions, quotas, authenticator } = createAccess(parts);
    const access = { ...authenticator, ...controlQuotas(keys, quotas) };
    return { access, authenticator, editor, sessions, close: () => quotas.close() };
  },
  routes: (opened) => [...keysRoutes(opened.editor), ...sessionRoutes(opened)],
});

export function controlQuotas(keys: Pick<KeyStore, 'find'>, quotas: Quotas): QuotaControl {
  return {
    // A key that was revoked in the meantime has no quota, and its requests end.
    openMeter: (key, expected) => quotas.openMeter(keys.find(key.id) ?? key, expected),
  };
}
