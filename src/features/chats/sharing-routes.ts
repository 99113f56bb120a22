// POST and DELETE /api/chats/:id/share, GET /api/shared-chats/:link

import { Type } from 'typebox';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { chatIdOf, chatOwner, chatsPath, chatsTag } from './chats-routes.ts';
import { DeleteChatResponseBody } from './chats-schema.ts';
import { ShareChatResponseBody, SharedChatBody } from './sharing-schema.ts';
import { linkPattern } from './store/chat-links.ts';
import type { ChatStore } from './store/chat-store.ts';
import { chatIdPattern } from './store/stored-chat.ts';
import { toSharedBody } from './to-shared-body.ts';

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
