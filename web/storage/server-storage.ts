// Conversations on the server: GET /api/chats, GET, PUT, POST and DELETE /api/chats/{id}, POST /api/chats/import.

import { ApiError, request, requestJson } from '../api/request.ts';
import { type ChatDocument, type ListedChat, newDocument, type TreeMessage } from '../conversation/chat-document.ts';
import { plural, t } from '../language/language.ts';
import type { ChatStorage } from './chat-storage.ts';

const pathOf = (id: string): string => `/api/chats/${encodeURIComponent(id)}`;

export const serverStorage: ChatStorage = {
  isDurable: true,
  async list(query = '') {
    const search = query === '' ? '' : `?q=${encodeURIComponent(query)}`;
    return (await requestJson<{ readonly chats: readonly ListedChat[] }>(`/api/chats${search}`)).chats;
  },
  async read(id) {
    try {
      return fromStored(await requestJson<StoredChat>(pathOf(id)));
    } catch (error) {
      // An address that was changed by hand has no valid id.
      if (error instanceof ApiError && (error.status === 404 || error.code === 'bad_request')) return undefined;
      throw error;
    }
  },
  async write(document) {
    const options = { method: 'PUT', body: document } as const;
    return (await requestJson<{ readonly revision: number }>(pathOf(document.id), options)).revision;
  },
  async arrange(id, place) {
    const options = { method: 'POST', body: place } as const;
    return (await requestJson<{ readonly revision: number }>(pathOf(id), options)).revision;
  },
  async remove(id) {
    // Browsers can keep it in a file: many large conversations can be deleted at once.
    const copy = await (await request(pathOf(id))).blob();
    await request(pathOf(id), { method: 'DELETE' });
    return async () => {
      const body = new Blob(['{"version":1,"chats":[', copy, ']}']);
      await request('/api/chats/import', { method: 'POST', body });
    };
  },
};

/** Other programs can store conversations, too, and leave out what is optional. */
type StoredChat = Pick<ChatDocument, 'id' | 'created_at' | 'updated_at' | 'revision'> &
  Partial<Omit<ChatDocument, 'messages'>> & {
    readonly shared_link?: string;
    readonly messages?: readonly (Pick<TreeMessage, 'id' | 'role'> & Partial<TreeMessage>)[];
  };

/** Without the link that shares it: a file with the document can be given to others. */
export function fromStored({ shared_link: _, ...stored }: StoredChat): ChatDocument {
  const { id, created_at: now, leaf, messages: given = [] } = stored;
  const messages = given.map((message) => ({ parent: null, content: '', created_at: now, ...message }));
  return { ...newDocument({ id, model: '', now }), ...stored, messages, leaf: leaf ?? messages.at(-1)?.id };
}

/** An export of this server, of ChatGPT or of Open WebUI. Returns a sentence about the result. */
export async function importChats(file: Blob): Promise<string> {
  const body = await toOwnExport(file);
  return describeImport(await requestJson('/api/chats/import', { method: 'POST', body }));
}

/** The file itself, unless another program wrote it. */
async function toOwnExport(file: Blob): Promise<Blob> {
  // An own export is an object. It may be larger than the memory of the page.
  if ((await file.slice(0, 1024).text()).trimStart()[0] !== '[') return file;
  const { convertExport } = await import('./convert-export.ts');
  try {
    const chats = convertExport(JSON.parse(await file.text()));
    return chats === undefined ? file : new Blob([JSON.stringify({ version: 1, chats })]);
  } catch {
    // The server says what is wrong with it.
    return file;
  }
}

export function describeImport({
  imported,
  existing,
  failed,
}: Record<'imported' | 'existing' | 'failed', number>): string {
  if (imported + existing + failed === 0) return t('The file has no chats.');
  return [
    plural(imported, 'One chat imported.', '{count} chats imported.'),
    existing === 0 ? '' : plural(existing, 'One existed already.', '{count} existed already.'),
    failed === 0 ? '' : plural(failed, 'One could not be read.', '{count} could not be read.'),
  ]
    .filter((part) => part !== '')
    .join(' ');
}
