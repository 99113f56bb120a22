// The settings of caches of other programs.

import { optionalPath, path } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const cachesSettings = {
  hfHome: setting(path, {
    default: '~/.cache/huggingface',
    ollama: false,
    shared: ['HF_HOME'],
    help: 'Folder of Hugging Face. Its cache, hub, is searched for models: pull hf.co/USER/REPOSITORY uses files that are there.',
  }),
  hfHubCache: setting(optionalPath, {
    default: '',
    ollama: false,
    shared: ['HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE'],
    help: 'The Hugging Face cache, if it is another folder.',
  }),
  lmStudioModels: setting(optionalPath, {
    default: '',
    ollama: false,
    help: 'Folder of the models of LM Studio, which is searched too. Default: ~/.lmstudio/models, and ~/.cache/lm-studio/models of older versions.',
  }),
};
