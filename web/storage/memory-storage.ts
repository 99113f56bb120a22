// Conversations in the memory of the page, for servers that keep none.

import { ApiError } from '../api/request.ts';
import { type ChatDocument, toSummary } from '../conversation/chat-document.ts';
import { t } from '../language/language.ts';
import type { ChatStorage } from './chat-storage.ts';

export function createMemoryStorage(): ChatStorage {
  const documents = new Map<string, ChatDocument>();
  return {
    isDurable: false,
    list: async (query = '') =>
      [...documents.values()]
        .filter((document) => contains(document, query.toLowerCase()))
        .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
        .map(toSummary),
    read: async (id) => documents.get(id),
    async write(document) {
      if (document.revision !== (documents.get(document.id)?.revision ?? 0))
        throw new ApiError(t('The conversation was changed elsewhere.'), { status: 409, code: 'conflict' });
      const revision = document.revision + 1;
      documents.set(document.id, { ...document, revision });
      return revision;
    },
    async arrange(id, place) {
      const document = documents.get(id);
      if (document === undefined)
        throw new ApiError(t('The conversation was deleted elsewhere.'), { status: 404, code: 'chat_not_found' });
      const revision = document.revision + 1;
      documents.set(id, { ...document, ...place, revision });
      return revision;
    },
    async remove(id) {
      const document = documents.get(id);
      documents.delete(id);
      return async () => {
        if (document !== undefined) documents.set(id, document);
      };
    },
  };
}

function contains({ title, messages }: ChatDocument, query: string): boolean {
  return [title, ...messages.map(({ content }) => content)].some((text) => text.toLowerCase().includes(query));
}
