// The settings of the built-in tools.

import { list, plainText } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const builtinToolsSettings = {
  builtinTools: setting(list, {
    default: '',
    ollama: false,
    help: 'Built-in tools that models may call: fetch (pages of the internet), search (needs HEARTH_SEARXNG), run_javascript. Without names there are none.',
  }),
  searxng: setting(plainText, {
    default: '',
    ollama: false,
    help: 'Address of a SearXNG whose JSON format is switched on, such as http://127.0.0.1:8888, for the built-in tool search.',
  }),
};
