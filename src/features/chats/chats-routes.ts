// GET /api/chats; GET, PUT, POST and DELETE /api/chats/:id

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { HearthError } from '../../base/errors.ts';
import { ollamaDialect } from '../../server/dialects/shared/ollama-dialect.ts';
import type { Route } from '../../server/http/route.ts';
import { toChatBody, toContent, toSummaryBody } from './chat-bodies.ts';
import {
  ArrangeChatRequestBody,
  ChatSummaryBody,
  ChatsResponseBody,
  DeleteChatResponseBody,
  PutChatRequestBody,
  StoredChatBody,
} from './chats-schema.ts';
import type { ChatStore } from './store/chat-store.ts';
import { chatIdPattern } from './store/stored-chat.ts';

export const chatsPath = '/api/chats';
export const chatsTag = 'Conversations';
const maxQueryCharacters = 200;
/** Names and values of a conversation: it can have 20,000 messages, with statistics. */
export const maxChatValues = 500_000;

export const chatIdOf = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

/** The owner of what is stored without keys. */
export const localOwner = 'local';

/** Whose conversations a request sees: those of its key. Without keys, all callers share them. */
export function chatOwner({ scope }: FastifyRequest): string {
  return scope.key?.id ?? localOwner;
}

export function chatsRoutes(store: ChatStore): Route[] {
  const common = { dialect: ollamaDialect, scope: 'infer', tag: chatsTag } as const;
  const params = { id: Type.String({ pattern: chatIdPattern.source }) };
  const one = { ...common, path: `${chatsPath}/:id`, params } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: chatsPath,
      summary: 'List the stored conversations of the caller, or search them',
      query: {
        q: Type.String({
          maxLength: maxQueryCharacters,
          description: 'A text that the title or a message contains, in any case.',
        }),
      },
      response: ChatsResponseBody,
      async handle(request): Promise<ChatsResponseBody> {
        const text = readQuery(request);
        const { chats, complete } =
          text === ''
            ? { chats: await store.list(chatOwner(request)), complete: true }
            : await store.search(chatOwner(request), text, request.scope.signal);
        return { chats: chats.map(toSummaryBody), complete };
      },
    },
    {
      ...one,
      method: 'GET',
      summary: 'Get a stored conversation',
      response: StoredChatBody,
      handle: async (request): Promise<StoredChatBody> =>
        toChatBody(await store.read(chatOwner(request), chatIdOf(request))),
    },
    {
      ...one,
      method: 'PUT',
      summary: 'Store a conversation; status 409 if it was changed in the meantime',
      body: PutChatRequestBody,
      maxBodyValues: maxChatValues,
      exactBody: true,
      response: ChatSummaryBody,
      async handle(request): Promise<ChatSummaryBody> {
        const body = request.body as PutChatRequestBody;
        const id = chatIdOf(request);
        if (body.id !== undefined && body.id !== id)
          throw new HearthError('bad_request', 'id: the path names another conversation');
        const change = { id, content: toContent(body), revision: body.revision ?? 0 };
        const { summary } = await store.put(chatOwner(request), change, request.scope.signal);
        return toSummaryBody({ id, ...summary });
      },
    },
    {
      ...one,
      method: 'POST',
      summary: 'Change the title, the folder or the pin of a stored conversation',
      body: ArrangeChatRequestBody,
      exactBody: true,
      response: ChatSummaryBody,
      async handle(request): Promise<ChatSummaryBody> {
        const { title, pinned, folder } = request.body as ArrangeChatRequestBody;
        const id = chatIdOf(request);
        const changes = { title, pinned, folder };
        const { summary } = await store.arrange(chatOwner(request), id, changes, request.scope.signal);
        return toSummaryBody({ id, ...summary });
      },
    },
    {
      ...one,
      method: 'DELETE',
      summary: 'Delete a stored conversation',
      response: DeleteChatResponseBody,
      async handle(request): Promise<DeleteChatResponseBody> {
        await store.remove(chatOwner(request), chatIdOf(request), request.scope.signal);
        return { status: 'success' };
      },
    },
  ];
}

function readQuery({ query }: FastifyRequest): string {
  const { q = '' } = query as { readonly q?: string | readonly string[] };
  if (typeof q !== 'string' || q.length > maxQueryCharacters)
    throw new HearthError('bad_request', `q must be one text of at most ${maxQueryCharacters} characters`);
  return q.trim();
}
