// The flags of `hearth registry serve`: one table of name, kind, default, help.

import { environmentName } from '../../settings/setting-table.ts';

export const registryFlags = {
  host: { kind: 'address', default: '127.0.0.1:11435', help: 'Address to listen on, as for `hearth serve`.' },
  port: { kind: 'number', default: '', help: 'Port to listen on, instead of the one in --host; 0 = any free port.' },
  folder: { kind: 'path', default: '~/.hearth/registry', help: 'Folder of the model store to serve.' },
  pull: {
    kind: 'open | keyed',
    default: 'open',
    help: 'Who may pull: open = anyone, keyed = only clients with a registered key.',
  },
  keys: {
    kind: 'path',
    default: '',
    help: 'File of the public keys that may push, one per line; the default is authorized_keys in the folder.',
  },
  url: {
    kind: 'url',
    default: '',
    help: 'URL that clients use, if it differs from the listen address, for example behind a proxy.',
  },
  'max-upload': { kind: 'size', default: '1024GiB', help: 'Maximum size of an uploaded blob.' },
  'tls-cert': tlsFlag(
    'tlsCert',
    'PEM file with the certificate of the registry; with it, the registry listens with TLS.',
  ),
  'tls-key': tlsFlag('tlsKey', 'PEM file with the private key of that certificate.'),
  'tls-client-ca': tlsFlag('tlsClientCa', 'PEM file with certificate authorities that clients need a certificate of.'),
} as const;

/** The settings of `hearth serve` apply unless a flag is given. */
export const registryTlsSettings = { tlsCert: 'tls-cert', tlsKey: 'tls-key', tlsClientCa: 'tls-client-ca' } as const;

function tlsFlag(key: keyof typeof registryTlsSettings, help: string) {
  return { kind: 'path', default: '', help: `${help.replace(/\.$/, '')} (${environmentName(key)}).` } as const;
}

export type RegistryFlags = { readonly [Name in keyof typeof registryFlags]?: string };
