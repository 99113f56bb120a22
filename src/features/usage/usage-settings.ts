// The settings of the usage log and the request log.

import { count, path, size } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const usageSettings = {
  usage: setting(path, {
    default: '~/.hearth/usage',
    ollama: false,
    help: 'Folder of the usage log: one line for each request that ran a model, with its key, model, tokens, duration and outcome, and no text; `hearth usage` sums it up.',
  }),
  usageSize: setting(size, {
    default: '64MiB',
    ollama: false,
    help: 'Maximum size of that folder; the oldest files are removed first; 0 = nothing is recorded.',
  }),
  requestLog: setting(count, {
    default: '0',
    ollama: false,
    help: 'How many of the last requests are kept in memory with their prompts and answers, for GET /api/requests/log; users see in /api/version and in `hearth ps` that it is on; 0 = none.',
  }),
};
