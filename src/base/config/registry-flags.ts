// The flags of `hearth registry serve`: one table of name, kind, default, help.

export const registryFlags = {
  host: { kind: 'host', default: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 is all of them.' },
  port: { kind: 'number', default: '11435', help: 'Port to listen on; 0 is any that is free.' },
  folder: { kind: 'path', default: '~/.hearth/registry', help: 'The store: models are kept and served from here.' },
  pull: { kind: 'open | keyed', default: 'open', help: 'Who may pull: anybody, or holders of registered keys.' },
  keys: {
    kind: 'path',
    default: '',
    help: 'Public keys of those who may push, one on each line; by default authorized_keys in the folder.',
  },
  url: {
    kind: 'url',
    default: '',
    help: 'The address that clients know it by, behind a proxy or under a name of its own.',
  },
  'max-upload': { kind: 'size', default: '1024GiB', help: 'The largest blob that is taken.' },
} as const;

export type RegistryFlags = { readonly [Name in keyof typeof registryFlags]?: string };
