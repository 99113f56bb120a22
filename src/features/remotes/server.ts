// The routes that manage remotes. Their models are served without them.

import { toServerFeature } from '../../server/server-feature.ts';
import { createRemoteManager } from './manage-remotes.ts';
import { RemoteFiles, remoteKeysFolder } from './remote-files.ts';
import { remotesRoutes } from './remotes-route.ts';

const nameOf = ({ params }: { readonly params: Readonly<Record<string, unknown>> }): unknown[] => [params['name']];

export const remotesServer = toServerFeature({
  operations: {
    'GET /api/remotes': {
      description: 'Lists other servers whose models this one serves, with their state.',
      example: {},
    },
    'POST /api/remotes': {
      description:
        'Adds a server whose models this one serves, or further addresses of one. A key is written to a file that only the user of the server can read.',
      example: { body: { name: 'gpu', urls: ['http://127.0.0.1:8000'], key: 'sk-gpu' } },
    },
    'DELETE /api/remotes/:name': {
      description:
        'Removes a server from this one, or one address of it. Its models stay in the list until they are deleted.',
      example: { path: { name: 'gpu' } },
    },
    'POST /api/remotes/:name/check': {
      description: 'Asks a server for its models and what they can do, now.',
      example: { path: { name: 'gpu' } },
    },
  },
  audit: {
    'POST /api/remotes': { action: 'add remote', subject: ({ body }) => [body['name']] },
    'DELETE /api/remotes/:name': { action: 'remove remote', subject: nameOf },
    'POST /api/remotes/:name/check': { action: 'check remote', subject: nameOf },
  },
  open({ remotes: { store, prober }, settings, clock }) {
    const files = new RemoteFiles(remoteKeysFolder(settings.remotesFile));
    return { files, manager: createRemoteManager({ remotes: store, files, prober, clock }) };
  },
  routes: ({ manager, files }) => remotesRoutes(manager, files),
});
