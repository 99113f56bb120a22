// POST, PUT and DELETE /api/chats/:id/share, GET /api/shared-chats, GET /api/shared-chats/:link

import { Type } from 'typebox';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { chatIdOf, chatOwner, chatsPath, chatsTag } from './chats-routes.ts';
import { DeleteChatResponseBody } from './chats-schema.ts';
import {
  ShareChatResponseBody,
  SharedChatBody,
  SharedChatsResponseBody,
  ShareInFolderRequestBody,
} from './sharing-schema.ts';
import { linkPattern } from './store/chat-links.ts';
import type { ChatStore } from './store/chat-store.ts';
import type { SharedLink } from './store/list-links.ts';
import { chatIdPattern } from './store/stored-chat.ts';
import { toSharedBody } from './to-shared-body.ts';

/** A response has at most so many conversations of shared folders. */
const maxListed = 1000;

export function sharingRoutes(store: ChatStore): Route[] {
  const common = { dialect: ollamaDialect, scope: 'infer', tag: chatsTag } as const;
  const params = { id: Type.String({ pattern: chatIdPattern.source }) };
  const one = { ...common, path: `${chatsPath}/:id/share`, params } as const;
  return [
    {
      ...one,
      method: 'POST',
      summary: 'Share a stored conversation by a link',
      response: ShareChatResponseBody,
      async handle(request): Promise<ShareChatResponseBody> {
        const { signal, key } = request.scope;
        return { shared_link: await store.share(chatOwner(request), chatIdOf(request), { author: key?.name, signal }) };
      },
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'Stop sharing a stored conversation',
      response: DeleteChatResponseBody,
      async handle(request): Promise<DeleteChatResponseBody> {
        await store.stopSharing(chatOwner(request), chatIdOf(request), request.scope.signal);
        return { status: 'success' };
      },
    },
    {
      ...one,
      method: 'PUT',
      summary: 'Put a stored conversation into a shared folder',
      body: ShareInFolderRequestBody,
      response: ShareChatResponseBody,
      async handle(request): Promise<ShareChatResponseBody> {
        const { signal, key } = request.scope;
        const { folder } = request.body as ShareInFolderRequestBody;
        const options = { folder, author: key?.name, signal };
        return { shared_link: await store.putIntoFolder(chatOwner(request), chatIdOf(request), options) };
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/shared-chats',
      summary: 'List the conversations in shared folders',
      response: SharedChatsResponseBody,
      async handle(_, reply): Promise<SharedChatsResponseBody> {
        void reply.header('cache-control', 'no-store');
        const found = await store.listFolders(maxListed);
        const chats = found.sort((a, b) => compare(a.folder, b.folder) || b.updatedAt - a.updatedAt);
        return { chats: chats.map(toListedBody) };
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/shared-chats/:link',
      params: { link: Type.String({ pattern: linkPattern.source }) },
      summary: 'Read a conversation that another user shares',
      response: SharedChatBody,
      async handle({ params: path }, reply): Promise<SharedChatBody> {
        const { link } = path as { readonly link: string };
        // After the end of the link, no cache has it.
        void reply.header('cache-control', 'no-store');
        return toSharedBody(await store.readShared(link));
      },
    },
  ];
}

function compare(one = '', other = ''): number {
  return one.localeCompare(other);
}

export function toListedBody({ link, title, author, folder, updatedAt }: SharedLink) {
  return { shared_link: link, title, author, folder, updated_at: formatTimestamp(updatedAt) };
}
