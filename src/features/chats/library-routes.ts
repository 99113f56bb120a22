// GET and PUT /api/library: presets and prompts of a user.

import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { chatOwner, chatsTag } from './chats-routes.ts';
import { LibraryResponseBody, PutLibraryRequestBody, StoredLibraryBody } from './library-schema.ts';
import { type LibraryStore, maxLibraryBytes } from './store/library-store.ts';

export function libraryRoutes(store: LibraryStore): Route[] {
  const common = { dialect: ollamaDialect, scope: 'infer', tag: chatsTag, path: '/api/library' } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: 'Get the presets and prompts of the caller',
      response: LibraryResponseBody,
      handle: async (request): Promise<LibraryResponseBody> =>
        (await store.read(chatOwner(request))) as LibraryResponseBody,
    },
    {
      ...common,
      method: 'PUT',
      summary: 'Store the presets and prompts; status 409 if they were changed in the meantime',
      body: PutLibraryRequestBody,
      exactBody: true,
      maxBodyBytes: maxLibraryBytes,
      response: StoredLibraryBody,
      handle: async (request): Promise<StoredLibraryBody> => {
        const { presets, prompts, revision = 0 } = request.body as PutLibraryRequestBody;
        const library = { presets, prompts, revision };
        return { revision: await store.write(chatOwner(request), library, request.scope.signal) };
      },
    },
  ];
}
