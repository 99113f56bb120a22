// Conversations on the server: GET /api/chats, and GET, PUT and DELETE /api/chats/{id}.

import { ApiError } from '../api/api-error.ts';
import { request, requestJson } from '../api/request.ts';
import type { ChatSummary } from '../conversation/chat-document.ts';
import type { ChatStorage } from './chat-storage.ts';
import { fromStored, type StoredChat } from './from-stored.ts';

const pathOf = (id: string): string => `/api/chats/${encodeURIComponent(id)}`;

export const serverStorage: ChatStorage = {
  isDurable: true,
  async list(query = '') {
    const search = query === '' ? '' : `?q=${encodeURIComponent(query)}`;
    return (await requestJson<{ readonly chats: readonly ChatSummary[] }>(`/api/chats${search}`)).chats;
  },
  async read(id) {
    try {
      return fromStored(await requestJson<StoredChat>(pathOf(id)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  },
  async write(document) {
    const options = { method: 'PUT', body: document } as const;
    return (await requestJson<{ readonly revision: number }>(pathOf(document.id), options)).revision;
  },
  async remove(id) {
    await request(pathOf(id), { method: 'DELETE' });
  },
};
