// The settings of remotes.

import { duration, path } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const remotesSettings = {
  remotesFile: setting(path, {
    default: '~/.hearth/remotes.json',
    ollama: false,
    help: 'File with the remotes of `hearth remote`: the servers that run remote models.',
  }),
  remoteTimeout: setting(duration, {
    default: '5m',
    ollama: false,
    help: 'How long a remote may send nothing, before its answer and during it; -1 = no limit.',
  }),
};
