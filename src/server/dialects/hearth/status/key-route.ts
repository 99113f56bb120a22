// GET /api/key: the public key with which this server signs requests to registries.

import { HearthError } from '../../../../base/errors.ts';
import { currentRequest } from '../../../../base/request/request-scope.ts';
import { isFromThisMachine } from '../../../http/access/from-this-machine.ts';
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
      if (currentRequest()?.key === undefined && !isFromThisMachine(request))
        throw new HearthError('forbidden', 'the key is shown only to clients on the same machine as the server');
      return { public_key: await publicKey() };
    },
  };
}
