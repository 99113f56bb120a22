// Links that share conversations: /api/chats/{id}/share, /api/shared-chats, and those of all users.

import type {
  ChatLinksResponseBody,
  ShareChatResponseBody,
  SharedChatBody,
  SharedChatsResponseBody,
} from '../../src/features/chats/sharing-schema.ts';
import { ApiError, request, requestJson } from './request.ts';

const pathOf = (id: string): string => `/api/chats/${encodeURIComponent(id)}/share`;

/** Resolves with the link of a conversation, which is created if there is none. */
export async function shareChat(id: string): Promise<string> {
  return (await requestJson<ShareChatResponseBody>(pathOf(id), { method: 'POST' })).shared_link;
}

/** Puts a conversation that is shared into a shared folder, or takes it out if the name is empty. */
export async function putIntoFolder(id: string, folder: string): Promise<void> {
  await request(pathOf(id), { method: 'PUT', body: { folder } });
}

/** The conversations in shared folders, in the order of the folders. */
export async function listFolders(): Promise<SharedChatsResponseBody['chats']> {
  return (await requestJson<SharedChatsResponseBody>('/api/shared-chats')).chats;
}

export async function stopSharing(id: string): Promise<void> {
  await request(pathOf(id), { method: 'DELETE' });
}

/** undefined: the link does not work, or not any more. */
export async function readShared(link: string): Promise<SharedChatBody | undefined> {
  try {
    return await requestJson<SharedChatBody>(`/api/shared-chats/${encodeURIComponent(link)}`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Some of the links of all users, for administrators: those after one. */
export function listLinks(after?: string): Promise<ChatLinksResponseBody> {
  return requestJson(after === undefined ? '/api/chat-links' : `/api/chat-links?after=${after}`);
}

export async function endLink(link: string): Promise<void> {
  await request(`/api/chat-links/${link}`, { method: 'DELETE' });
}
