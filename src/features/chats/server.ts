// Conversations of web pages, which the server stores.

import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { chatsRoutes } from './chats-routes.ts';
import { chatsTransferRoutes } from './chats-transfer-routes.ts';
import { type ChatStore, createChatStore } from './store/chat-store.ts';

const id = 'a2c4e6f8-apples';
const messages = [
  { id: 'm1', parent: null, role: 'user', content: 'Where do apples grow?' },
  { id: 'm2', parent: 'm1', role: 'assistant', content: 'On trees.' },
];

export const chatsServer = toServerFeature({
  operations: {
    'GET /api/chats': {
      description:
        'Lists the conversations of the key, or of all callers without keys. With q, those that contain the text.',
      example: { query: { q: 'apples' } },
    },
    'GET /api/chats/:id': { description: 'Shows a conversation with all its messages.', example: { path: { id } } },
    'PUT /api/chats/:id': {
      description:
        'Stores a conversation. The revision that the client changed must be the stored one; if it was changed in the meantime, the status is 409.',
      example: { path: { id }, body: { title: 'Apples', model: 'ember', messages } },
    },
    'DELETE /api/chats/:id': { description: 'Removes a conversation.', example: { path: { id } } },
    'GET /api/chats/export': {
      description: 'Sends all conversations of the caller as one JSON document.',
      example: {},
    },
    'POST /api/chats/import': {
      description: 'Stores the conversations of such a document. Those whose id exists are not changed.',
      example: { file: 'hearth-chats.json' },
    },
  },
  open({ settings, clock, logger }): { readonly isOff?: true; readonly store?: ChatStore } {
    const { chats, chatSize: maxBytes, maxChats, chatStorage: maxTotalBytes } = settings;
    if (chats === 'off') return { isOff: true };
    const folder = chats === 'auto' ? join(stateFolder(), 'chats') : chats.folder;
    return { store: createChatStore({ folder, maxBytes, maxChats, maxTotalBytes, clock, logger }) };
  },
  routes({ isOff, store }, { settings }) {
    if (isOff) return [];
    const opened = store as ChatStore;
    return [...chatsRoutes(opened), ...chatsTransferRoutes({ store: opened, maxBytes: settings.chatSize })];
  },
});
