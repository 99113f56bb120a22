// The settings of documents.

import { folderChoice, plainText } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const documentsSettings = {
  collections: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for the collections of /api/collections; each key has its own, and only the user of the server can read them; auto = ~/.hearth/collections; 0 = there are none.',
  }),
  collectionsModel: setting(plainText, {
    default: '',
    ollama: false,
    help: 'The embedding model of collections and vector stores that name none; empty = their passages are found by words only.',
  }),
};
