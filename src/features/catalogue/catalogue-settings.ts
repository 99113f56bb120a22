// The settings of the catalogue.

import { proxyAddress } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

export const catalogueSettings = {
  hfEndpoint: setting(proxyAddress, {
    default: 'https://huggingface.co',
    ollama: false,
    shared: ['HF_ENDPOINT'],
    help: 'Where `hearth search` and the page search for models besides the list that ships with Hearth: the address of Hugging Face or of a mirror.',
  }),
};
