// The flags of `hearth registry serve`: one table of name, kind, default, help.

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
} as const;

export type RegistryFlags = { readonly [Name in keyof typeof registryFlags]?: string };
