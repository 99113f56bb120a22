// The settings of stored conversations.

import { count, folderChoice, size } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const chatsSettings = {
  chats: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for the conversations of the web page; each key has its own, and only the user of the server can read them; auto = ~/.hearth/chats; 0 = conversations are not stored.',
  }),
  chatSize: setting(size, {
    default: '16MiB',
    ollama: false,
    help: 'Maximum size of a stored conversation, with its images.',
  }),
  maxChats: setting(count, {
    default: '5000',
    ollama: false,
    help: 'Maximum number of stored conversations of a key, or of all callers without keys; further ones are refused.',
  }),
  chatStorage: setting(size, {
    default: '1GiB',
    ollama: false,
    help: 'Maximum size of all stored conversations of a key, or of all callers without keys.',
  }),
};
