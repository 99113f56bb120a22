// Where a publisher of ZeroMQ listens: tcp://127.0.0.1:5557, tcp://*:5557.

import type { SettingKind } from './kinds.ts';

export interface PublisherAddress {
  /** Absent: all addresses of the machine. */
  readonly host?: string;
  readonly port: number;
}

const pattern = /^tcp:\/\/(\*|\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/;
const maxPort = 65_535;

/** Empty for none. */
export const publisherAddress: SettingKind<PublisherAddress | ''> = {
  name: 'address',
  expects: 'an address such as tcp://127.0.0.1:5557, or tcp://*:5557 for all of this machine',
  parse(text) {
    if (text === '') return '';
    const [, host = '', digits = ''] = pattern.exec(text) ?? [];
    const port = Number(digits);
    if (host === '' || port > maxPort) return undefined;
    return host === '*' ? { port } : { host: host.replace(/^\[|\]$/g, ''), port };
  },
};
