// The settings of API keys.

import { flag, path } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const keysSettings = {
  keysFile: setting(path, {
    default: '~/.hearth/keys.json',
    ollama: false,
    help: 'File with the keys of `hearth keys`; if there are keys, every request needs one.',
  }),
  allowOpen: setting(flag, {
    default: 'false',
    ollama: false,
    help: 'Listen on addresses of the network even if there are no keys, so that everyone there can use the server.',
  }),
};
