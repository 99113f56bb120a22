// Conversations of web pages, which the server stores.

import { join } from 'node:path';
import { stateFolder } from '../../base/config/state-folder.ts';
import { toServerFeature } from '../../server/server-feature.ts';
import { chatsRoutes, localOwner } from './chats-routes.ts';
import { chatsTransferRoutes } from './chats-transfer-routes.ts';
import { libraryRoutes } from './library-routes.ts';
import { linksRoutes } from './links-routes.ts';
import { sharingRoutes } from './sharing-routes.ts';
import { type ChatFolder, createChatFolder } from './store/chat-folder.ts';
import { createLinkFiles, createSharedLinks } from './store/chat-links.ts';
import { type ChatStore, createChatStore } from './store/chat-store.ts';
import {
  createLibraryFiles,
  createLibraryStore,
  createSharedLibraries,
  type LibraryStore,
} from './store/library-store.ts';
import { createSharedChats } from './store/shared-chats.ts';

const id = 'a2c4e6f8-apples';
const link = '00112233445566778899aabbccddeeff00112233';
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
    'POST /api/chats/:id': {
      description:
        'Changes how a conversation is filed: its title, its folder, whether it is pinned. What was said and the time of the last change stay as they are.',
      example: { path: { id }, body: { folder: 'Fruit', pinned: true } },
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
    'POST /api/chats/:id/share': {
      description:
        'Shares a conversation: everybody who may use the server and has the link can read it as it is at that time. Returns the link that there is, or a new one.',
      example: { path: { id } },
    },
    'DELETE /api/chats/:id/share': {
      description: 'Ends the link of a conversation. It never works again; the next one is another.',
      example: { path: { id } },
    },
    'PUT /api/chats/:id/share': {
      description:
        'Puts a conversation into a shared folder, where everybody who may use the server finds and reads it without the link, or takes it out. Returns the link that there is, or a new one.',
      example: { path: { id }, body: { folder: 'Recipes' } },
    },
    'GET /api/shared-chats': {
      description: 'Lists the conversations that users have put into shared folders.',
      example: {},
    },
    'GET /api/shared-chats/:link': {
      description:
        'Shows a shared conversation as it is now: the title, the branch that its author sees, with texts, images, files and models. The status is 404 if there is no such link, or not any more.',
      example: { path: { link } },
    },
    'GET /api/chat-links': {
      description:
        'Lists the links of all users: who shares which conversation. Links are in the order of their digits; the next ones are those after the value of next.',
      example: {},
    },
    'DELETE /api/chat-links/:link': {
      description: 'Ends the link of any user. It never works again; its author can create another one.',
      example: { path: { link } },
    },
    'GET /api/library': {
      description: 'Shows the presets and prompts of the key, or of all callers without keys.',
      example: {},
    },
    'PUT /api/library': {
      description:
        'Stores presets (what new conversations begin with) and prompts (texts that can be inserted into a message). They replace all that are stored.',
      example: {
        body: {
          presets: [{ id: 'p1', name: 'Brief', model: 'ember', system: 'Answer in one sentence.' }],
          prompts: [{ id: 't1', name: 'Summarize', text: 'Summarize this text: ' }],
        },
      },
    },
  },
  audit: {
    'POST /api/chats/:id/share': { action: 'share chat', subject: ({ params }) => [params['id']] },
    'PUT /api/chats/:id/share': {
      action: 'share chat in folder',
      subject: ({ params, body }) => [params['id'], body['folder']],
    },
    'DELETE /api/chats/:id/share': { action: 'stop sharing chat', subject: ({ params }) => [params['id']] },
    // The log does not give access to a conversation.
    'DELETE /api/chat-links/:link': {
      action: 'end shared link',
      subject: ({ params }) => [`${String(params['link']).slice(0, 8)}…`],
    },
  },
  open({ settings, sharedState: state, hasAccess: isKnown, clock, logger }): {
    readonly isOff?: true;
    readonly store?: ChatStore;
    readonly library?: LibraryStore;
  } {
    const { chats, chatSize: maxBytes, maxChats, chatStorage: maxTotalBytes } = settings;
    if (chats === 'off') return { isOff: true };
    const folder = chats === 'auto' ? join(stateFolder(), 'chats') : chats.folder;
    const openFolder = (owner: string): ChatFolder =>
      state
        ? createSharedChats(state.textsOf('chat', owner), logger)
        : createChatFolder(join(folder, owner), { clock, logger });
    const links = state ? createSharedLinks(state, logger) : createLinkFiles(folder, logger);
    const hasAccess = (owner: string): boolean => owner === localOwner || isKnown(owner);
    return {
      store: createChatStore({ openFolder, links, hasAccess, maxBytes, maxChats, maxTotalBytes, clock, logger }),
      library: createLibraryStore(state ? createSharedLibraries(state) : createLibraryFiles(folder, clock)),
    };
  },
  routes({ isOff, store, library }, { settings }) {
    if (isOff) return [];
    const opened = store as ChatStore;
    return [
      ...chatsRoutes(opened),
      ...sharingRoutes(opened),
      ...linksRoutes(opened),
      ...chatsTransferRoutes({ store: opened, maxBytes: settings.chatSize }),
      ...libraryRoutes(library as LibraryStore),
    ];
  },
});
