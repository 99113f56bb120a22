// The settings of cache events.

import { publisherAddress } from '../../base/config/publisher-address.ts';
import { setting } from '../../base/config/setting.ts';

export const kvEventsSettings = {
  kvEvents: setting(publisherAddress, {
    default: '',
    ollama: false,
    help: 'Where the server publishes which blocks of tokens its prefix caches have, in the format of vLLM, such as tcp://127.0.0.1:5557; empty = nowhere.',
  }),
  kvEventsReplay: setting(publisherAddress, {
    default: '',
    ollama: false,
    help: 'Where the server repeats past events of its prefix caches, such as tcp://127.0.0.1:5558; empty = nowhere.',
  }),
};
