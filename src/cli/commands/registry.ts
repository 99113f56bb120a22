// hearth library serve

import { type LibraryFlags, libraryFlags } from '../../base/config/registry-flags.ts';
import type { CommandSpec, OptionSpec } from '../command.ts';

/** Resolves when the library listens; it goes on until a signal ends it. */
export type ServeLibrary = (flags: LibraryFlags) => Promise<void>;

const names = Object.keys(libraryFlags) as (keyof LibraryFlags)[];

export function libraryCommand(serveLibrary: ServeLibrary): CommandSpec {
  return {
    name: 'library',
    summary: 'A library of your own, from which others pull models',
    examples: ['hearth library serve'],
    commands: [
      {
        name: 'serve',
        summary: 'Serve a folder of models to others',
        description:
          'They pull from it and, with a registered key, push to it. A key is registered by adding the line that `hearth key` prints to the file authorized_keys in the folder.',
        options: names.map(toOption),
        examples: ['hearth library serve --host 0.0.0.0 --folder /srv/models --url http://models.example:11435'],
        ownsSignals: true,
        async execute(_, { options }) {
          const given = names.flatMap((name) => {
            const value = options[camelCase(name)];
            return typeof value === 'string' ? [[name, value] as const] : [];
          });
          await serveLibrary(Object.fromEntries(given));
          return undefined;
        },
      },
    ],
  };
}

function toOption(name: keyof LibraryFlags): OptionSpec {
  const { kind, default: byDefault, help } = libraryFlags[name];
  const choices = kind.split(' | ');
  return {
    flags: `--${name} <${choices.length > 1 ? 'value' : kind}>`,
    help: [help, ...(byDefault === '' ? [] : [`(default ${byDefault})`])].join(' '),
    ...(kind === 'path' ? { completes: 'file' as const } : {}),
    ...(choices.length > 1 ? { completes: choices } : {}),
  };
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
