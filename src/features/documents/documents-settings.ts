// The settings of documents.

import { folderChoice } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const documentsSettings = {
  collections: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for the collections of /api/collections; each key has its own, and only the user of the server can read them; auto = ~/.hearth/collections; 0 = there are none.',
  }),
};
