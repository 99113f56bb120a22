// The settings of batches.

import { count, folderChoice, size } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const batchesSettings = {
  batches: setting(folderChoice, {
    default: 'auto',
    ollama: false,
    help: 'Folder for the files and batches of /v1/files and /v1/batches; each key has its own, and only the user of the server can read them; auto = ~/.hearth/batches; 0 = there are none.',
  }),
  batchStorage: setting(size, {
    default: '4GiB',
    ollama: false,
    help: 'Maximum size of all uploaded files of a key, or of all callers without keys.',
  }),
  batchParallel: setting(count, {
    default: '16',
    ollama: false,
    help: 'How many lines of batches are asked at the same time. They get only the slots that no other request needs.',
  }),
};
