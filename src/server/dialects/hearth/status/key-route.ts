// GET /api/key: the public key with which this server signs requests to registries.

import { requireKeyOrThisMachine } from '../../../http/access/from-this-machine.ts';
import type { Route } from '../../../http/route.ts';
import { ollamaDialect } from '../../shared/ollama-dialect.ts';
import { KeyResponseBody } from './key-schema.ts';

/** `publicKey` may create the key. */
export function keyRoute(publicKey: () => Promise<string>): Route {
  return {
    dialect: ollamaDialect,
    method: 'GET',
    scope: 'admin',
    path: '/api/key',
    tag: 'Server',
    summary: 'Show the public key for registries; only for clients on the same machine, or with a key',
    response: KeyResponseBody,
    handle: async (request): Promise<KeyResponseBody> => {
      requireKeyOrThisMachine(request, 'the key is shown only to clients on the same machine as the server');
      return { public_key: await publicKey() };
    },
  };
}
