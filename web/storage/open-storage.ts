// Chooses the storage: the server, unless it keeps no conversations.

import { ApiError } from '../api/request.ts';
import type { ListedChat } from '../conversation/chat-document.ts';
import type { ChatStorage } from './chat-storage.ts';
import { createMemoryStorage } from './memory-storage.ts';
import { serverStorage } from './server-storage.ts';

export async function openStorage(): Promise<{ storage: ChatStorage; chats: readonly ListedChat[] }> {
  try {
    return { storage: serverStorage, chats: await serverStorage.list() };
  } catch (error) {
    // A server without the routes, or with HEARTH_CHATS=0.
    if (error instanceof ApiError && error.status === 404) return { storage: createMemoryStorage(), chats: [] };
    throw error;
  }
}
