// GET /api/chat-links, DELETE /api/chat-links/:link: administrators see what is shared, and end links.

import { Type } from 'typebox';
import { HearthError } from '../../base/errors.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { chatsTag } from './chats-routes.ts';
import { DeleteChatResponseBody } from './chats-schema.ts';
import { toListedBody } from './sharing-routes.ts';
import { ChatLinksResponseBody, type SharedLinkBody } from './sharing-schema.ts';
import { linkPattern } from './store/chat-links.ts';
import type { ChatStore } from './store/chat-store.ts';
import type { SharedLink } from './store/list-links.ts';

/** A response has at most so many links. */
const maxListed = 200;

export function linksRoutes(store: ChatStore): Route[] {
  const common = { dialect: ollamaDialect, scope: 'admin', tag: chatsTag } as const;
  const link = Type.String({ pattern: linkPattern.source });
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/chat-links',
      summary: 'List the links of all users that share conversations',
      query: { after: Type.String({ pattern: linkPattern.source, description: 'A link; those after it are listed.' }) },
      response: ChatLinksResponseBody,
      async handle({ query }): Promise<ChatLinksResponseBody> {
        const { after = '' } = query as { readonly after?: string | readonly string[] };
        if (typeof after !== 'string' || (after !== '' && !linkPattern.test(after)))
          throw new HearthError('bad_request', 'after must be one link, of 40 hexadecimal digits');
        const { links, next } = await store.listLinks(after, maxListed);
        return { links: links.map(toBody), next };
      },
    },
    {
      ...common,
      method: 'DELETE',
      path: '/api/chat-links/:link',
      params: { link },
      summary: 'End the link of any user',
      response: DeleteChatResponseBody,
      async handle({ params, scope }): Promise<DeleteChatResponseBody> {
        await store.endLink((params as { readonly link: string }).link, scope.signal);
        return { status: 'success' };
      },
    },
  ];
}

function toBody(link: SharedLink): SharedLinkBody {
  return { ...toListedBody(link), state: link.hasAccess ? 'active' : 'suspended' };
}
