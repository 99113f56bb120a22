// The settings of cache events.

import type { SettingKind } from '../../base/config/kinds.ts';
import { setting } from '../../base/config/setting.ts';

const publisherAddress: SettingKind<string> = {
  name: 'address',
  expects: 'an address such as tcp://127.0.0.1:5557, or tcp://*:5557 for all of this machine',
  parse: (text) => (text === '' || readPublisherAddress(text) !== undefined ? text : undefined),
};

const pattern = /^tcp:\/\/(\*|\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/;
const maxPort = 65_535;

/** Where a publisher listens. An absent host means all addresses of the machine. */
export function readPublisherAddress(text: string): { readonly host?: string; readonly port: number } | undefined {
  const [, host = '', digits = ''] = pattern.exec(text) ?? [];
  const port = Number(digits);
  if (host === '' || port > maxPort) return undefined;
  return host === '*' ? { port } : { host: host.replace(/^\[|\]$/g, ''), port };
}

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
