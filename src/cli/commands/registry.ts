// hearth registry serve

import { type RegistryFlags, registryFlags } from '../../base/config/registry-flags.ts';
import type { CommandSpec, OptionSpec } from '../command.ts';

/** Resolves when the registry listens. It runs until a signal ends it. */
export type ServeRegistry = (flags: RegistryFlags) => Promise<void>;

const names = Object.keys(registryFlags) as (keyof RegistryFlags)[];

export function registryCommand(serveRegistry: ServeRegistry): CommandSpec {
  return {
    name: 'registry',
    hiddenAlias: 'library',
    summary: 'Run a model registry for your team',
    examples: ['hearth registry serve'],
    commands: [
      {
        name: 'serve',
        summary: 'Serve a folder of models as a registry',
        description:
          'Clients pull from it and, with a registered key, push to it. To register a key, add the line that `hearth key` prints to the file authorized_keys in the folder.',
        options: names.map(toOption),
        examples: ['hearth registry serve --host 0.0.0.0 --folder /srv/models --url http://models.example:11435'],
        ownsSignals: true,
        async execute(_, { options }) {
          const given = names.flatMap((name) => {
            const value = options[camelCase(name)];
            return typeof value === 'string' ? [[name, value] as const] : [];
          });
          await serveRegistry(Object.fromEntries(given));
          return undefined;
        },
      },
    ],
  };
}

function toOption(name: keyof RegistryFlags): OptionSpec {
  const { kind, default: defaultText, help } = registryFlags[name];
  const choices = kind.split(' | ');
  return {
    flags: `--${name} <${choices.length > 1 ? 'value' : kind}>`,
    help: `${help.replace(/\.$/, '')}${defaultText === '' ? '' : ` (default ${defaultText})`}`,
    ...(kind === 'path' ? { completes: 'file' as const } : {}),
    ...(choices.length > 1 ? { completes: choices } : {}),
  };
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
