// The settings of speech models.

import { duration, size } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const speechSettings = {
  audioSize: setting(size, {
    default: '25MiB',
    ollama: false,
    help: 'Largest audio file of a request; the default is the limit of OpenAI.',
  }),
  audioTime: setting(duration, {
    default: '4h',
    ollama: false,
    help: 'Longest audio of a request.',
  }),
};
